import CaptureModel

/// One who waits for the sound of an instant.
final class SoundListener: Sendable {
    let instant: LocalTime
    let alarm: Alarm

    init(instant: LocalTime, clock: any TimeSource) {
        self.instant = instant
        alarm = Alarm(clock: clock)
    }
}
