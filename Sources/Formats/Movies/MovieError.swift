public import PosixSupport

/// Why a movie, or a file that contains one, could not be made or read.
public struct MovieError: Error, Hashable, Sendable {
    /// The kind of failure, for use in code.
    public enum Code: String, Hashable, Sendable {
        /// The input contradicts itself: no frame, times that do not increase, a still that is not a frame.
        case invalidInput
        /// The codec or container library failed.
        case codec
        /// The encoder program failed, is missing, or exceeded its time limit.
        case encoder
        /// The work was cancelled, because its result is no longer needed.
        case cancelled
        /// The disk failed; ``MovieError/file`` has the errno.
        case inputOutput
        /// The bytes of a file violate the format.
        case malformed
        /// A recording was cut off before a complete picture was on the disk.
        case empty
    }

    /// The kind of failure.
    public let code: Code
    /// The operation, as it reads after "cannot": `write the clip`.
    public let operation: String
    /// The file concerned.
    public let subject: String
    /// The reason in words.
    public let cause: String
    /// The system call that failed, for ``Code/inputOutput``.
    public let file: PosixError?

    /// - Parameters:
    ///   - operation: As it reads after "cannot".
    ///   - subject: The file.
    ///   - cause: In words.
    public init(_ code: Code, _ operation: String, _ subject: String, _ cause: String) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.cause = cause
        file = nil
    }

    /// - Parameter subject: The movie to encode.
    init(_ error: ExternalProgramError, subject: String) {
        self.init(error.code == .cancelled ? .cancelled : .encoder, "encode", subject, error.description)
    }

    init(_ error: PosixError) {
        code = .inputOutput
        operation = error.operation
        subject = error.subject
        cause = "\(error.reason) (\(error.name))"
        file = error
    }

    /// Whether freeing disk space helps.
    public var isOutOfSpace: Bool { file?.isOutOfSpace ?? false }
}

extension MovieError: CustomStringConvertible {
    public var description: String {
        file?.description ?? "cannot \(operation) \(subject): \(cause)"
    }
}
