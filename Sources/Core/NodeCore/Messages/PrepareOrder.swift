import CaptureEngine
package import CaptureModel

/// What is to be armed for a shot.
package struct PrepareOrder: Hashable, Sendable {
    package var shot: ShotID
    package var devices: [DeviceName]
    /// The instant T.
    package var time: RigTime
    /// The rig time line of `time`.
    package var rigClock: RigClockID
    /// Until when the frames stay pinned if the shot is not fired.
    package var pinnedUntil: RigTime
    package var settings: PhotoSettings
    /// The rig's wall clock at T, nanoseconds since 1970.
    package var realtimeAtTime: Int64
    /// The rig's offset from UTC.
    package var utcOffsetMinutes: Int

    package init(
        shot: ShotID, devices: [DeviceName], time: RigTime, rigClock: RigClockID, pinnedUntil: RigTime,
        settings: PhotoSettings, realtimeAtTime: Int64, utcOffsetMinutes: Int
    ) {
        self.shot = shot
        self.devices = devices
        self.time = time
        self.rigClock = rigClock
        self.pinnedUntil = pinnedUntil
        self.settings = settings
        self.realtimeAtTime = realtimeAtTime
        self.utcOffsetMinutes = utcOffsetMinutes
    }

    func captureOrder(for key: CaptureKey) -> CaptureOrder {
        CaptureOrder(
            key: key, time: time, rigClock: rigClock, pinnedUntil: pinnedUntil, settings: settings,
            realtimeAtTime: realtimeAtTime, utcOffsetMinutes: utcOffsetMinutes)
    }
}
