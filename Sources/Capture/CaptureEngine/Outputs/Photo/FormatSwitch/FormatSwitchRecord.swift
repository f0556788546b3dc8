import CaptureModel

/// A session's record of its last format switch, until the stream is back. It outlasts the capture, which may be given
/// up. The tasks that carry out switches wait here for their steps.
final class FormatSwitchRecord {
    private let steps: Alarm
    /// The capture of the switch; nil before the first one.
    private var key: CaptureKey?
    private var fault: String?
    private var awayGap: StreamGap?

    init(clock: any TimeSource) { steps = Alarm(clock: clock) }

    /// The trouble in the still's format; nil if there was none.
    var trouble: String? { fault }

    /// The time without frames of the stream, after it has begun and until it is over. Its length is not known yet.
    var gap: StreamGap? { awayGap }

    /// Begins with the switch of a capture.
    func begin(_ key: CaptureKey) { (self.key, fault, awayGap) = (key, nil, nil) }

    /// Notes a trouble in the still's format.
    func note(_ trouble: String) {
        if key != nil { fault = trouble }
    }

    /// Begins the gap with the last frame of the stream.
    func streamLeft(_ gap: StreamGap) {
        if key != nil { awayGap = gap }
    }

    /// Notes that nobody waits for the stream.
    func stopWaiting() { awayGap = nil }

    /// Ends the gap with the first frame of the stream that has returned.
    /// - Returns: The capture and its gap; nil if there was none.
    func streamReturned(at instant: LocalTime) -> (key: CaptureKey, gap: StreamGap)? {
        guard let key, var gap = awayGap else { return nil }
        gap.nanoseconds = max((instant - gap.localStart).nanoseconds, 0)
        awayGap = nil
        return (key, gap)
    }

    /// Waits for a step, or for a capture to come or go.
    func waitForStep(until instant: LocalTime?) async { await steps.wait(until: instant) }

    func ring() { steps.ring() }
}
