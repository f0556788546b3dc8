import CaptureModel

/// Whether the camera has shown of late that it delivers frames, without which no further one is promised.
extension CaptureSession {
    /// How long arming waits for a good frame where the last one is too old: half of what a rig gives its cameras to arm
    /// (`docs/protocol/control.md`, Liveness).
    static let framePatience = Duration.milliseconds(500)

    /// Whether the last good frame is younger than two periods, plus the time a frame takes from exposure to the ring.
    var isFresh: Bool {
        guard let newest = ring.newest else { return false }
        let delivery = newest.dequeued - newest.midExposure
        return clock.now() - newest.midExposure <= interval.value * 2 + delivery
    }

    /// Waits a while for a good frame where the last one is too old: what stood still for a moment, the camera or the machine,
    /// need not be given up for T. Returns at once where the camera does not run.
    func awaitFreshFrame(for key: CaptureKey) async {
        guard isRunning, !isFresh else { return }
        let (alarm, limit) = (Alarm(clock: clock), clock.now() + Self.framePatience)
        frameAlarms[key] = alarm
        while isRunning, !isFresh, clock.now() < limit, !Task.isCancelled { await alarm.wait(until: limit) }
        frameAlarms[key] = nil
    }

    /// Wakes those who wait for a frame: there is one, or there will be none.
    func ringFrameAlarms() {
        for alarm in frameAlarms.values { alarm.ring() }
    }
}
