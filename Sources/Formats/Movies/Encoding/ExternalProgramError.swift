internal import Glibc
internal import Subprocess
internal import SystemPackage

/// Why a program failed.
public struct ExternalProgramError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for use in code.
    public enum Code: String, Hashable, Sendable {
        /// It could not be started.
        case notStarted
        /// It ended with a status other than 0, or by a signal.
        case failed
        /// It was killed because it exceeded its time limit, or the machine ran out of memory.
        case killed
        /// The waiting task was cancelled, and the program was killed.
        case cancelled
    }

    public let code: Code
    /// The program's name.
    public let program: String
    /// The reason in words, including the last lines of standard error.
    public let cause: String

    public var description: String { "the program '\(program)' \(cause)" }
}
