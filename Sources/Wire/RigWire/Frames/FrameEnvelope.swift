import RigProtocol

/// A message of the frames channel as ZeroMQ carries it, in one part: topic, NUL, the length of the header as 32 bits in
/// network byte order, the header, and everything after it the payload.
public enum FrameEnvelope {
    /// The most bytes of a message.
    public static let maximumByteCount = 32 << 20
    /// The most bytes of a header.
    public static let maximumHeaderByteCount = WireCoding.frameHeader.maximumByteCount

    /// What stands before the payload.
    public static func prefix(_ header: FrameHeader) throws(WireError) -> [UInt8] {
        prefix(header.topic.bytes, try WireCoding.frameHeader.encode(header.wire))
    }

    /// What stands before the payload.
    public static func prefix(_ header: SoundHeader) throws(WireError) -> [UInt8] {
        prefix(header.topic.bytes, try WireCoding.frameHeader.encode(header.wire))
    }

    /// The message of a stream that has nothing to show: a header of no bytes, and no payload.
    public static func beat(of topic: [UInt8]) -> [UInt8] {
        prefix(topic, [])
    }

    /// Whether a message says no more than that its stream is there.
    public static func isBeat(_ message: Span<UInt8>) -> Bool {
        guard let end = (0..<min(message.count, FrameTopic.maximumByteCount)).first(where: { message[$0] == 0 }) else {
            return false
        }
        return message.count == end + 5 && (end + 1..<message.count).allSatisfy { message[$0] == 0 }
    }

    private static func prefix(_ topic: [UInt8], _ header: [UInt8]) -> [UInt8] {
        let length = UInt32(clamping: header.count)
        return topic + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + header
    }

    /// Takes a message apart, which may come from anyone.
    /// - Returns: The header, and where the payload begins.
    /// - Throws: ``WireError``, also where the header is not of the topic's camera and kind.
    public static func open(_ message: Span<UInt8>) throws(WireError) -> (header: FrameHeader, payload: Int) {
        guard let end = (0..<min(message.count, FrameTopic.maximumByteCount)).first(where: { message[$0] == 0 }) else {
            throw fault("topic", "must be node/device/kind, then NUL")
        }
        let start = end + 5
        guard start <= message.count else { throw fault("length", "is cut off") }
        let length = (end + 1..<start).reduce(0) { $0 << 8 | Int(message[$1]) }
        guard length <= maximumHeaderByteCount, start + length <= message.count else {
            throw fault("length", "is \(length); the message has \(message.count - start) bytes more")
        }
        let header = try header(bytes(message, start..<start + length))
        guard bytes(message, 0..<end + 1) == header.topic.bytes else {
            throw fault("topic", "is not that of the header, \(header.topic)")
        }
        return (header, start + length)
    }

    private static func header(_ encoded: [UInt8]) throws(WireError) -> FrameHeader {
        try FrameHeader(wire: try WireCoding.frameHeader.decode(WireFrameHeader.self, from: encoded))
    }

    private static func bytes(_ message: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        range.map { message[$0] }
    }

    private static func fault(_ field: String, _ reason: String) -> WireError {
        WireError(.malformed, message: "frame", field: field, reason: reason)
    }
}
