import CaptureModel

/// The calls that wait for a camera's settings: each that carries out a commit, for T and for frames, and those that wait
/// for another state. Bounded by the requests that a node carries out at a time.
final class SettingsWaiters {
    private let clock: any TimeSource
    /// More than one only while an earlier one ends.
    private var alarms: [SettingsID: Alarm] = [:]
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(clock: any TimeSource) { self.clock = clock }

    /// Returns the alarm of a call that carries out a commit. It rings with every frame and every change, until ``end(_:)``.
    func begin(_ id: SettingsID) -> Alarm {
        let alarm = Alarm(clock: clock)
        alarms[id] = alarm
        return alarm
    }

    func end(_ id: SettingsID) { alarms[id] = nil }

    /// Returns with the next change.
    func waitForChange() async {
        await withCheckedContinuation { waiters.append($0) }
    }

    /// Notes a frame.
    func ring() {
        for alarm in alarms.values { alarm.ring() }
    }

    /// Notes a change.
    func wake() {
        ring()
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
