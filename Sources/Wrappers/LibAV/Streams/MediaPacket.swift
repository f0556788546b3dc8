/// One frame, or some samples, as they are stored.
public struct MediaPacket: Hashable, Sendable {
    /// Index of the stream.
    public var stream: Int
    /// When it is shown or sounds, in units of the stream.
    public var presentationTime: Int64
    /// When it is decoded: rises from packet to packet of a stream. Equal to ``presentationTime`` without B-frames.
    public var decodeTime: Int64
    /// How long it lasts, in units of the stream; 0 where the next packet tells.
    public var duration: Int64
    /// Whether it can be decoded alone.
    public var isKey: Bool
    public var bytes: [UInt8]

    public init(
        stream: Int, presentationTime: Int64, decodeTime: Int64? = nil, duration: Int64 = 0, isKey: Bool = true,
        bytes: [UInt8]
    ) {
        self.stream = stream
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime ?? presentationTime
        self.duration = duration
        self.isKey = isKey
        self.bytes = bytes
    }
}
