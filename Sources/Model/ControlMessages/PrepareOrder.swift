public import CaptureModel

/// An order to arm devices for a shot, with the settings.
public struct PrepareOrder: Hashable, Sendable {
    public var shot: ShotID
    public var devices: [DeviceID]
    /// The instant T.
    public var time: RigTime
    /// The rig time line of `time`.
    public var rigClock: RigClockID
    /// The instant until which the frames around T stay pinned if the shot is not fired.
    public var pinnedUntil: RigTime
    /// The instant until which what is set for the shot (light, bracket) stays set, because cameras of the shot may
    /// still expose; nil for the camera's last picture.
    public var setUntil: RigTime?
    public var settings: PhotoSettings
    /// The coordinator's wall clock at T, nanoseconds since 1970.
    public var realtimeAtTime: Int64
    /// Minutes east of Greenwich at T. On the wire it has 32 bits.
    public var utcOffsetMinutes: Int

    public init(
        shot: ShotID, devices: [DeviceID], time: RigTime, rigClock: RigClockID, pinnedUntil: RigTime,
        setUntil: RigTime? = nil, settings: PhotoSettings, realtimeAtTime: Int64, utcOffsetMinutes: Int
    ) {
        self.shot = shot
        self.devices = devices
        self.time = time
        self.rigClock = rigClock
        self.pinnedUntil = pinnedUntil
        self.setUntil = setUntil
        self.settings = settings
        self.realtimeAtTime = realtimeAtTime
        self.utcOffsetMinutes = utcOffsetMinutes
    }
}
