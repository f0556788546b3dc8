/// A time in which nothing of this process ran, noticed when it was over.
public struct Suspension: Hashable, Sendable, CustomStringConvertible {
    /// What stood still.
    public enum Kind: String, Hashable, Sendable {
        /// The machine slept, and its monotonic clock with it: instants before and after are farther apart than they say.
        case machineSlept
        /// The process was stopped, or got no processor; the clocks went on.
        case processStopped
    }

    public var kind: Kind
    public var duration: Duration

    public init(_ kind: Kind, _ duration: Duration) {
        self.kind = kind
        self.duration = duration
    }

    /// What happened, as the reason of what came of it.
    public var description: String {
        let milliseconds = duration.nanoseconds / 1_000_000
        switch kind {
        case .machineSlept: return "the machine was suspended for \(milliseconds) ms"
        case .processStopped:
            return "the process did not run for \(milliseconds) ms: it was stopped, or the machine is overloaded"
        }
    }
}
