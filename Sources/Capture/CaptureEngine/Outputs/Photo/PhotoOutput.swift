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
    ///   - instant: T on this machine's clock, in the past as far as the ring reaches. Where nil: now, or as soon as the
    ///     camera can be set for flash or bracket, or leave its stream for a larger still.
    /// - Returns: The capture's life cycle, whose first event is waiting.
    /// - Throws: ``CaptureProblem`` where nothing was begun: the camera is not ready, or the settings ask for what it
    ///   does not support.
    public func capturePhoto(
        with settings: PhotoSettings = PhotoSettings(), at instant: LocalTime? = nil
    ) async throws(CaptureProblem) -> CaptureEvents {
        var time = instant ?? session.clock.now()
        if instant == nil { time = time + (try await session.lead(for: settings)) }
        return try await session.capturePhoto(session.order(settings, at: time, utcOffsetMinutes: utcOffsetMinutes))
    }
}
