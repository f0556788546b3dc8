/// When a recording turns to another file, when it ends by itself, and how much of it a crash may take.
public struct RecordingLimits: Hashable, Sendable {
    /// Length of the whole recording, 1/90 000 s.
    public var maximumDuration: Int64?
    /// Bytes of all pictures and sound.
    public var maximumByteCount: Int64?
    /// Each file ends where the recording's time is a multiple of this, 1/90 000 s.
    public var segmentDuration: Int64?
    /// Bytes of pictures and sound in one file.
    public var segmentByteCount: Int64?
    /// The most files; the last one goes on.
    public var segmentCount: Int
    /// Bytes that stay free on the disk; asked for at each fragment.
    public var freeByteCount: Int64
    /// Length of a fragment, 1/90 000 s: what the end of the process can take.
    var fragmentDuration: Int64 = 45_000
    /// How often what was written is made durable, 1/90 000 s: what a loss of power can take, beside a fragment.
    let syncInterval: Int64 = 90_000
    /// What a crash can take of a file's end, 1/90 000 s.
    static var longestLoss: Int64 { Self().fragmentDuration + Self().syncInterval }

    public init(
        maximumDuration: Int64? = nil, maximumByteCount: Int64? = nil, segmentDuration: Int64? = nil,
        segmentByteCount: Int64? = nil, segmentCount: Int = .max, freeByteCount: Int64 = 0
    ) {
        self.maximumDuration = maximumDuration
        self.maximumByteCount = maximumByteCount
        self.segmentDuration = segmentDuration
        self.segmentByteCount = segmentByteCount
        self.segmentCount = segmentCount
        self.freeByteCount = freeByteCount
    }
}
