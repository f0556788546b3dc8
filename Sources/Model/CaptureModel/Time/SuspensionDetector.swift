/// Notices from the clocks that machine or process stood still.
///
/// | seen at a tick | means |
/// |---|---|
/// | the machine's sleep has grown by more than ``sleepTolerance`` | `machineSlept` for as long |
/// | else: the tick is later than it was due by more than ``latenessLimit`` | `processStopped` for as long |
///
/// A value without a clock: its owner ticks every ``interval``. Short sleeps add up until they are noticed.
public struct SuspensionDetector: Sendable {
    /// From one tick to the next.
    public static let interval: Duration = .milliseconds(250)
    /// What two readings of the clocks may differ by.
    public static let sleepTolerance: Duration = .milliseconds(5)
    /// How late a tick may be on a machine that is busy.
    public static let latenessLimit: Duration = .seconds(1)

    private var due: LocalTime
    private var timeSlept: Duration

    /// - Parameter timeSlept: ``TimeSource/timeSlept()`` at that instant.
    public init(at now: LocalTime, timeSlept: Duration) {
        due = now + Self.interval
        self.timeSlept = timeSlept
    }

    /// The owner begins to wait for the next tick, having worked since the last one.
    public mutating func wait(from now: LocalTime) {
        due = now + Self.interval
    }

    /// - Returns: What stood still since the tick before; nil where nothing did.
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
