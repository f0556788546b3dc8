import CameraKit
import CaptureModel

/// Orders that a program on the same machine gives.
extension CaptureSession {
    /// How long an armed capture keeps its frames while nobody fires it.
    private static let pinned = Duration.seconds(60)

    /// An order with a fresh id.
    /// - Parameter instant: T on this machine's clock.
    /// - Throws: `unsynchronized` where the instant has no rig time.
    nonisolated func order(
        _ settings: PhotoSettings, at instant: LocalTime, utcOffsetMinutes: Int
    ) throws(CaptureProblem) -> CaptureOrder {
        guard let clockID = rigClock.clockID, let time = rigClock.rigTime(at: instant)?.time else {
            throw CaptureProblem(.unsynchronized, "\(device.id): the session's rig clock has no estimate yet")
        }
        let now = clock.wallClockPair()
        var generator = SystemRandomNumberGenerator()
        let shot = ShotID(unixMilliseconds: now.realtimeNanoseconds / 1_000_000, using: &generator)
        return CaptureOrder(
            key: CaptureKey(shot: shot, device: device.id), time: time, rigClock: clockID,
            pinnedUntil: time + Self.pinned, settings: settings,
            realtimeAtTime: now.realtimeNanoseconds(at: instant), utcOffsetMinutes: utcOffsetMinutes)
    }
}
