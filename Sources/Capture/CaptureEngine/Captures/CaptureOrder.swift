public import CaptureModel

/// What a session is asked to capture: one camera's part of a shot.
public struct CaptureOrder: Hashable, Sendable {
    public var key: CaptureKey
    /// The instant T.
    public var time: RigTime
    /// The rig time line of `time`; a node on another one refuses.
    public var rigClock: RigClockID
    /// Until when the frames stay pinned if the shot is not fired.
    public var pinnedUntil: RigTime
    public var settings: PhotoSettings
    /// The rig's wall clock at T, nanoseconds since 1970: the dates in EXIF derive from it.
    public var realtimeAtTime: Int64
    /// The rig's offset from UTC.
    public var utcOffsetMinutes: Int

    public init(
        key: CaptureKey, time: RigTime, rigClock: RigClockID, pinnedUntil: RigTime, settings: PhotoSettings,
        realtimeAtTime: Int64, utcOffsetMinutes: Int
    ) {
        self.key = key
        self.time = time
        self.rigClock = rigClock
        self.pinnedUntil = pinnedUntil
        self.settings = settings
        self.realtimeAtTime = realtimeAtTime
        self.utcOffsetMinutes = utcOffsetMinutes
    }
}

/// The outcome of an order, as the session tells it once.
public enum CaptureResult: Hashable, Sendable {
    /// The files are durable in the spool.
    case captured(CaptureReport)
    /// There will be no capture.
    case missed(CaptureKey, CaptureProblem)
}
