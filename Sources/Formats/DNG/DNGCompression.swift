/// How the samples are kept in the file. Nothing is lost either way.
public enum DNGCompression: String, Sendable, CaseIterable {
    /// As they are: one byte each, or two for more than 8 bits.
    case none
    /// Lossless JPEG; as they are where that is no shorter.
    case losslessJPEG
}
