/// A DNG as it is to be written.
public struct DNGFile: Sendable {
    /// The file's bytes, one piece after the other: everything but the samples, then those.
    public let pieces: [[UInt8]]
    /// How the samples are kept, which is not at all compressed where that was no shorter.
    public let compression: DNGCompression

    public var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }
}
