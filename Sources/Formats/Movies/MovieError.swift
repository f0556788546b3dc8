public import PosixSupport

/// Why a movie, or a file that contains one, could not be made or read.
public struct MovieError: Error, Hashable, Sendable {
    /// What kind of failure it is; programs branch on this.
    public enum Code: String, Hashable, Sendable {
        /// What was to be written contradicts itself: no frame, times that do not rise, a still that is no frame.
        case invalidInput
        /// The codec or container library refused.
        case codec
        /// The program that encodes failed, is not there, or took too long.
        case encoder
        /// The work was given up, since nobody wants it any more.
        case cancelled
        /// The disk failed; ``MovieError/file`` has the errno.
        case inputOutput
        /// The bytes of a file that was read are not what the format says.
        case malformed
        /// A recording was cut off before a whole picture of it was on the disk.
        case empty
    }

    /// The kind of failure.
    public let code: Code
    /// What was tried, as it reads after "cannot": `write the clip`.
    public let operation: String
    /// The file it was tried on.
    public let subject: String
    /// Why, in words.
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

    /// - Parameter subject: What was to be encoded.
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

    /// Whether freeing space helps.
    public var isOutOfSpace: Bool { file?.isOutOfSpace ?? false }
}

extension MovieError: CustomStringConvertible {
    public var description: String {
        file?.description ?? "cannot \(operation) \(subject): \(cause)"
    }
}
