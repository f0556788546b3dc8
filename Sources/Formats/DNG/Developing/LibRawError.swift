/// Why LibRaw made no picture of a file.
public struct LibRawError: Error, Hashable, Sendable, CustomStringConvertible {
    /// LibRaw's error code (`LibRaw_errors`), negative; or an `errno`, positive.
    public let code: Int32
    /// The code in LibRaw's words.
    public let cause: String

    public var description: String { "LibRaw makes no picture of the raw file: \(cause) (\(code))." }
}
