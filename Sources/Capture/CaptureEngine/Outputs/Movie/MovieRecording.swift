public import CaptureModel
import Spool

/// A recording that has begun, after AVFoundation's `AVCaptureMovieFileOutput` and its delegate; made by
/// ``CaptureSession/startRecording(with:at:utcOffsetMinutes:)``. It goes on whether anybody holds this or not.
public struct MovieRecording: Sendable {
    /// The capture that the movie is part of.
    public let id: CaptureKey
    /// What was announced before T.
    public let resolved: ResolvedPhotoSettings
    /// The movie's first frame.
    public let firstFrame: FrameTiming
    private let session: CaptureSession
    private let events: CaptureEvents

    init(_ events: CaptureEvents, of session: CaptureSession, resolved: ResolvedPhotoSettings, firstFrame: FrameTiming)
    {
        id = events.id
        self.events = events
        self.session = session
        self.resolved = resolved
        self.firstFrame = firstFrame
    }

    /// Ends the recording at an instant: no frame exposed at it or later is in the movie. The first instant counts; harmless
    /// once the recording has ended.
    /// - Parameter instant: On this machine's clock: now where nil. One that has passed ends the movie at once, and its
    ///   ``RecordedMovie/note`` says so.
    public func stop(at instant: LocalTime? = nil) async {
        // Without an estimate of rig time the recording has ended by itself.
        guard let time = session.rigClock.rigTime(at: instant ?? session.clock.now())?.time else { return }
        await session.stopRecording(id, at: time)
    }

    /// Waits until the recording has ended and its movie is finished. For one caller.
    /// - Returns: The capture, whose files lie in the session's spool. ``RecordedMovie/end`` says what ended it, and
    ///   ``RecordedMovie/problem`` why before its time, where it did: the movie is whole up to there.
    /// - Throws: Why there is no movie.
    public func finished() async throws(CaptureProblem) -> CaptureReport {
        var problem: CaptureProblem?
        for await event in events {
            if case .didFinishCapture(let reason) = event.step { problem = reason }
        }
        if let report = await session.spool.report(of: id), report.movie != nil { return report }
        throw problem ?? CaptureProblem(.discarded, "\(id.device): its recording was removed from the spool")
    }
}
