/// Detects from the clocks that the machine or the process stood still.
///
/// | seen at a tick | means |
/// |---|---|
/// | the machine's sleep has grown by more than ``sleepTolerance`` | `machineSlept` for that long |
/// | otherwise: the tick is late by more than ``latenessLimit`` | `processStopped` for that long |
///
/// A value without a clock: its owner ticks every ``interval``. Short sleeps add up until they are detected.
public struct SuspensionDetector: Sendable {
    /// The time between ticks.
    public static let interval: Duration = .milliseconds(250)
    /// The allowed difference between two readings of the clocks.
    public static let sleepTolerance: Duration = .milliseconds(5)
    /// How late a tick may be on a busy machine.
    public static let latenessLimit: Duration = .seconds(1)

    private var due: LocalTime
    private var timeSlept: Duration

    /// - Parameter timeSlept: ``TimeSource/timeSlept()`` at `now`.
    public init(at now: LocalTime, timeSlept: Duration) {
        due = now + Self.interval
        self.timeSlept = timeSlept
    }

    /// Records that the owner begins to wait for the next tick, after the work of the last one.
    public mutating func wait(from now: LocalTime) {
        due = now + Self.interval
    }

    /// - Returns: What stood still since the previous tick; nil if nothing did.
    public mutating func tick(at now: LocalTime, timeSlept: Duration) -> Suspension? {
        let (lateness, slept) = (now - due, timeSlept - self.timeSlept)
        due = now + Self.interval
        if slept > Self.sleepTolerance {
            self.timeSlept = timeSlept
            return Suspension(.machineSlept, slept)
        }
        return lateness > Self.latenessLimit ? Suspension(.processStopped, lateness) : nil
    }
}

/// A time in which nothing of this process ran, detected afterwards.
public struct Suspension: Hashable, Sendable, CustomStringConvertible {
    /// What stood still.
    public enum Kind: String, Hashable, Sendable {
        /// The machine slept and its monotonic clock stopped: more time lies between instants before and after than their difference.
        case machineSlept
        /// The process was stopped, or got no processor; the clocks continued.
        case processStopped
    }

    public var kind: Kind
    public var duration: Duration

    public init(_ kind: Kind, _ duration: Duration) {
        self.kind = kind
        self.duration = duration
    }

    /// What happened, worded as a reason for its effects.
    public var description: String {
        let milliseconds = duration.nanoseconds / 1_000_000
        switch kind {
        case .machineSlept: return "the machine was suspended for \(milliseconds) ms"
        case .processStopped:
            return "the process did not run for \(milliseconds) ms: it was stopped, or the machine is overloaded"
        }
    }
}
