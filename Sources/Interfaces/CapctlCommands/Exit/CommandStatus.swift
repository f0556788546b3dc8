/// What a command's end tells the calling program; listed in `docs/capctl.md`.
public enum CommandStatus: Int32, Sendable, CaseIterable {
    /// Everything that was asked for is there.
    case complete = 0
    /// A failure that none of the others names, such as a file that cannot be read.
    case other = 1
    /// Some captures are whole, others not.
    case partial = 3
    /// No capture is whole, or what was asked for was refused.
    case failed = 4
    /// The selection takes no device.
    case nothingSelected = 5
    /// No coordinator answers.
    case noCoordinator = 6
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64
    /// Ended by a signal before it was finished.
    case interrupted = 130

    /// The worse of two ends, for a command that does several things.
    func worse(_ other: CommandStatus) -> CommandStatus {
        rawValue >= other.rawValue ? self : other
    }
}
