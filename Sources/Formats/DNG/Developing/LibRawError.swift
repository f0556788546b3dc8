import CLibRaw

/// Why LibRaw could not develop a file.
public struct LibRawError: Error, Hashable, Sendable, CustomStringConvertible {
    /// LibRaw's error code (`LibRaw_errors`) if negative, or an `errno` if positive.
    public let code: Int32
    /// LibRaw's message for the code.
    public let cause: String

    public var description: String { "LibRaw cannot develop the raw file: \(cause) (\(code))." }
}
