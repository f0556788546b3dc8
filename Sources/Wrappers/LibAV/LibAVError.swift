internal import CLibAV
public import PosixSupport

/// A failed call of FFmpeg's libraries: the operation, the file, and the reason.
public struct LibAVError: Error, Hashable, Sendable {
    /// The library's code, an `AVERROR`; 0 if a check in this module failed.
    public let code: CInt
    /// The operation, in words that follow "cannot": `write a packet to`.
    public let operation: String
    /// The file.
    public let subject: String
    /// The library's message.
    public let cause: String
    /// The failed system call, if the file was the cause.
    public let file: PosixError?

    init(_ operation: String, _ subject: String, cause: String) {
        (self.code, self.operation, self.subject, self.cause) = (0, operation, subject, cause)
        file = nil
    }

    /// - Parameter file: The file's own error, if there was one.
    init(code: CInt, _ operation: String, _ subject: String, file: PosixError? = nil) {
        (self.code, self.operation, self.subject, self.file) = (code, operation, subject, file)
        cause = file.map { "\($0.reason) (\($0.name))" } ?? Self.words(of: code)
    }

    /// - Parameter secrets: Texts that the library's message must not tell.
    init(code: CInt, _ operation: String, _ subject: String, hiding secrets: [String]) {
        (self.code, self.operation, self.subject) = (code, operation, subject)
        file = nil
        cause = secrets.reduce(Self.words(of: code)) { text, secret in
            secret.isEmpty ? text : text.replacing(secret, with: "…")
        }
    }

    /// The status with which an RTSP server refused: 401, 403, 404, 400 for others of the client's, 500 for those of the server; nil if
    /// none did.
    public var serverStatus: Int? {
        let status = caprig_av_server_status(code)
        return status == 0 ? nil : Int(status)
    }

    /// Whether the caller ended the call.
    public var isInterruption: Bool { code == caprig_av_interrupted() }

    /// The errno of a failed system call; nil for other failures.
    public var errno: CInt? { (-4095 ... -1).contains(code) ? -code : nil }

    init(_ error: PosixError) {
        (code, operation, subject, file) = (-error.code, error.operation, error.subject, error)
        cause = "\(error.reason) (\(error.name))"
    }

    /// That the library is missing, or its last log message, which is more precise than the code, or the text of the code.
    private static func words(of code: CInt) -> String {
        var text = [CChar](repeating: 0, count: 512)
        if unsafe caprig_av_copy_missing(&text, text.count) > 0 { return string(text) }
        let message = unsafe String(cString: caprig_av_last_message())
        unsafe caprig_av_describe(code, &text, text.count)
        let words = string(text)
        return message.isEmpty ? words : "\(words) (\(message))"
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension LibAVError: CustomStringConvertible {
    public var description: String {
        file?.description ?? "cannot \(operation) \(subject): \(cause)"
    }
}

/// Runs calls of the library and collects their log messages.
func checked(_ operation: String, _ subject: String, _ call: () -> CInt) throws(LibAVError) {
    caprig_av_forget_message()
    let status = call()
    guard status >= 0 else { throw LibAVError(code: status, operation, subject) }
}
