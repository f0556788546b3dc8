public import CaptureModel

/// Takes photos from a running session, after AVFoundation's `AVCapturePhotoOutput`.
///
/// A photo's files lie in the session's spool when `didFinishProcessingPhoto` is told. Usable from any thread.
public struct PhotoOutput: Sendable {
    private let session: CaptureSession
    private let utcOffsetMinutes: Int

    /// - Parameter utcOffsetMinutes: How far local time is ahead of UTC, for the dates in EXIF.
    public init(session: CaptureSession, utcOffsetMinutes: Int = 0) {
        self.session = session
        self.utcOffsetMinutes = utcOffsetMinutes
    }

    /// Takes one photo. Each call is a capture with an id of its own, which every event carries; captures may overlap.
    /// - Parameters:
    ///   - settings: What the photo is to be.
    ///   - instant: T on this machine's clock: now where nil, in the past as far as the ring reaches.
    /// - Returns: The capture's life cycle, whose first event is waiting.
    /// - Throws: ``CaptureProblem`` where nothing was begun: the camera is not ready, or the settings ask for what it
    ///   does not support.
    public func capturePhoto(
        with settings: PhotoSettings = PhotoSettings(), at instant: LocalTime? = nil
    ) async throws(CaptureProblem) -> CaptureEvents {
        let now = session.clock.wallClockPair()
        let local = instant ?? now.monotonic
        guard let clockID = session.rigClock.clockID, let time = session.rigClock.rigTime(at: local)?.time else {
            throw CaptureProblem(.unsynchronized, "\(session.device.id): the session's rig clock has no estimate yet")
        }
        var generator = SystemRandomNumberGenerator()
        let shot = ShotID(unixMilliseconds: now.realtimeNanoseconds / 1_000_000, using: &generator)
        return try await session.capturePhoto(
            CaptureOrder(
                key: CaptureKey(shot: shot, device: session.device.id), time: time, rigClock: clockID,
                pinnedUntil: time + .seconds(60), settings: settings,
                realtimeAtTime: now.realtimeNanoseconds(at: local), utcOffsetMinutes: utcOffsetMinutes))
    }
}
