public import CaptureModel

extension CaptureSession {
    /// Records a movie, after `startRecording(to:recordingDelegate:)` of AVFoundation's `AVCaptureMovieFileOutput`. The
    /// session needs a ``MovieFileOutput``.
    ///
    /// Returns when the first frame is recorded and the spool durably owes the movie. Cancelling the calling task before that
    /// gives the recording up.
    /// - Parameters:
    ///   - settings: Where it ends if nobody stops it.
    ///   - instant: T on this machine's clock: now where nil. The first frame at or after it is the movie's first.
    ///   - utcOffsetMinutes: How far local time is ahead of UTC, for the movie's date and time code.
    /// - Throws: Why nothing is recorded: `conflict` where the session records already.
    public func startRecording(
        with settings: MovieSettings = MovieSettings(), at instant: LocalTime? = nil, utcOffsetMinutes: Int = 0
    ) async throws(CaptureProblem) -> MovieRecording {
        let order = try order(
            PhotoSettings(movie: settings), at: instant ?? clock.now(), utcOffsetMinutes: utcOffsetMinutes)
        let events = CaptureEvents(id: order.key)
        let resolved = try await arm(order, telling: events.teller).get()
        switch await fire(order.key) {
        case .captured(let report):
            return MovieRecording(events, of: self, resolved: resolved, firstFrame: report.timing)
        case .missed(_, let problem): throw problem
        }
    }
}
