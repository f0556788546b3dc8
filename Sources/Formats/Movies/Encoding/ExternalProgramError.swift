/// Why a program did not do what it was run for.
public struct ExternalProgramError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; programs branch on this.
    public enum Code: String, Hashable, Sendable {
        /// It could not be started.
        case notStarted
        /// It ended with another status than 0, or by a signal.
        case failed
        /// It was ended because it took too long, or the machine ran out of memory.
        case killed
        /// Whoever waited for it was cancelled, and it was ended.
        case cancelled
    }

    public let code: Code
    /// The program's name.
    public let program: String
    /// Why, in words; of a program that complained, its last lines.
    public let cause: String

    public var description: String { "the program '\(program)' \(cause)" }
}
