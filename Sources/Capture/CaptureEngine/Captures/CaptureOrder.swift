public import CaptureModel

/// An order to a session to make one camera's part of a shot.
public struct CaptureOrder: Hashable, Sendable {
    public var key: CaptureKey
    /// The instant T.
    public var time: RigTime
    /// The rig time line of `time`. A node on another one refuses.
    public var rigClock: RigClockID
    /// The instant until which the frames stay pinned if the shot is not fired.
    public var pinnedUntil: RigTime
    /// The instant until which the camera keeps what is set for the capture (light, bracket) after its last picture, because other cameras
    /// of the shot may still expose; nil to put it back at once.
    public var setUntil: RigTime?
    public var settings: PhotoSettings
    /// The rig's wall clock at T, nanoseconds since 1970. The dates in EXIF derive from it.
    public var realtimeAtTime: Int64
    /// The rig's offset from UTC.
    public var utcOffsetMinutes: Int

    public init(
        key: CaptureKey, time: RigTime, rigClock: RigClockID, pinnedUntil: RigTime, setUntil: RigTime? = nil,
        settings: PhotoSettings, realtimeAtTime: Int64, utcOffsetMinutes: Int
    ) {
        self.key = key
        self.time = time
        self.rigClock = rigClock
        self.pinnedUntil = pinnedUntil
        self.setUntil = setUntil
        self.settings = settings
        self.realtimeAtTime = realtimeAtTime
        self.utcOffsetMinutes = utcOffsetMinutes
    }
}

/// Orders of a program on the same machine.
extension CaptureSession {
    /// How long an armed capture keeps its frames without being fired.
    private static let pinned = Duration.seconds(60)

    /// Creates an order with a fresh id.
    /// - Parameter instant: T on this machine's clock.
    /// - Throws: `unsynchronized` if the instant has no rig time.
    nonisolated func order(
        _ settings: PhotoSettings, at instant: LocalTime, utcOffsetMinutes: Int
    ) throws(RigProblem) -> CaptureOrder {
        guard let clockID = rigClock.clockID, let time = rigClock.rigTime(at: instant)?.time else {
            throw RigProblem(.unsynchronized, "\(device.id): the session's rig clock has no estimate yet")
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
