internal import CLibAV
public import PosixSupport

/// A call of FFmpeg's libraries that failed: what was tried, on which file, and why.
public struct LibAVError: Error, Hashable, Sendable {
    /// The library's code, an `AVERROR`; 0 where a check of this module refused.
    public let code: CInt
    /// What was tried, as it reads after "cannot": `write a packet to`.
    public let operation: String
    /// The file it was tried on.
    public let subject: String
    /// What the library said.
    public let cause: String
    /// The system call that failed, where a file did.
    public let file: PosixError?

    init(_ operation: String, _ subject: String, cause: String) {
        (self.code, self.operation, self.subject, self.cause) = (0, operation, subject, cause)
        file = nil
    }

    /// - Parameter file: What the file's own error was, if it had one.
    init(code: CInt, _ operation: String, _ subject: String, file: PosixError? = nil) {
        (self.code, self.operation, self.subject, self.file) = (code, operation, subject, file)
        cause = file.map { "\($0.reason) (\($0.name))" } ?? Self.words(of: code)
    }

    init(_ error: PosixError) {
        (code, operation, subject, file) = (-error.code, error.operation, error.subject, error)
        cause = "\(error.reason) (\(error.name))"
    }

    /// The library's last complaint, which says more than the code does, or the code's own words.
    private static func words(of code: CInt) -> String {
        let message = unsafe String(cString: caprig_av_last_message())
        var text = [CChar](repeating: 0, count: 128)
        unsafe caprig_av_describe(code, &text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return message.isEmpty ? words : "\(words) (\(message))"
    }
}

extension LibAVError: CustomStringConvertible {
    public var description: String {
        file?.description ?? "cannot \(operation) \(subject): \(cause)"
    }
}

/// Runs calls of the library whose messages belong to them.
func checked(_ operation: String, _ subject: String, _ call: () -> CInt) throws(LibAVError) {
    caprig_av_forget_message()
    let status = call()
    guard status >= 0 else { throw LibAVError(code: status, operation, subject) }
}
