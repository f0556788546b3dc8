import CaptureEngine
import CaptureModel

/// What is to be armed for a shot.
struct PrepareOrder: Hashable, Sendable {
    var shot: ShotID
    var devices: [DeviceName]
    /// The instant T.
    var time: RigTime
    /// The rig time line of `time`.
    var rigClock: RigClockID
    /// Until when the frames stay pinned if the shot is not fired.
    var pinnedUntil: RigTime
    var settings: PhotoSettings
    /// The rig's wall clock at T, nanoseconds since 1970.
    var realtimeAtTime: Int64
    /// The rig's offset from UTC.
    var utcOffsetMinutes: Int

    func captureOrder(for key: CaptureKey) -> CaptureOrder {
        CaptureOrder(
            key: key, time: time, rigClock: rigClock, pinnedUntil: pinnedUntil, settings: settings,
            realtimeAtTime: realtimeAtTime, utcOffsetMinutes: utcOffsetMinutes)
    }
}
