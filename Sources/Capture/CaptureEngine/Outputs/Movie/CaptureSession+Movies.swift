public import CaptureModel

/// Movies of takes.
extension CaptureSession {
    /// Records a movie, after `startRecording(to:recordingDelegate:)` of AVFoundation's `AVCaptureMovieFileOutput`. The
    /// session needs a ``MovieFileOutput``.
    ///
    /// Returns when the first frame is recorded and the spool durably owes the movie. Cancelling the calling task
    /// before that ends the recording.
    /// - Parameters:
    ///   - settings: The limits at which it ends if nobody stops it.
    ///   - instant: T on this machine's clock; nil means the present. The first frame at or after it is the movie's
    ///     first.
    ///   - utcOffsetMinutes: Minutes of local time ahead of UTC, for the movie's date and time code.
    /// - Throws: Why nothing is recorded: `conflict` if the session already records.
    public func startRecording(
        with settings: MovieSettings = MovieSettings(), at instant: LocalTime? = nil, utcOffsetMinutes: Int = 0
    ) async throws(RigProblem) -> MovieRecording {
        let order = try order(
            PhotoSettings(movie: settings), at: instant ?? clock.now(), utcOffsetMinutes: utcOffsetMinutes)
        let events = CaptureEvents(id: order.key)
        let resolved = try await captures.arm(order, telling: events.sender).get()
        switch await captures.fire(order.key) {
        case .captured(let report):
            return MovieRecording(events, of: self, resolved: resolved, firstFrame: report.timing)
        case .missed(_, let problem): throw problem
        }
    }

    /// Ends a recording at an instant: no frame exposed at it or later is in the movie. The first instant counts. If
    /// later frames have already been recorded, it ends at once, and its movie says so.
    public func stopRecording(_ key: CaptureKey, at instant: RigTime) {
        captures.list.stopRecording(key, at: instant)
        movies.stop(key, at: instant)
    }

    /// Ends every recording, because the node is about to end. Their movies are finished.
    public func endRecordings() {
        movies.interrupt(because: "its agent was ended")
    }

    /// Stops the session as ``stopRunning()`` does, unless that would cut off a recording.
    /// - Parameter isCutting: Whether recordings may be cut off. What was recorded until then is kept.
    /// - Returns: What was cut off, one sentence each.
    /// - Throws: `conflict` if it records a movie, or is armed to, and that may not be cut off. Then nothing is
    ///   stopped.
    public func stopRunning(cuttingRecordings isCutting: Bool) async throws(RigProblem) -> [String] {
        let (recorded, armed) = (movies.recordedTakes, captures.list.armedTakes)
        if !isCutting, let objection = objection(toCutting: recorded, armed) { throw objection }
        // No recording may begin between the check and the stop.
        await core.handle(.stop)
        await core.waitUntilIdle()
        return recorded.map { recording in
            let length = movies.recordedLength(of: recording)
            return
                "the recording of take \(recording.order.key.shot) ended early, after \(length.text); what was recorded is kept"
        } + armed.map { "the recording of take \($0.shot) ended at its beginning" }
    }

    private func objection(toCutting recorded: [RecordingInProgress], _ armed: [CaptureKey]) -> RigProblem? {
        guard let take = recorded.first?.order.key.shot ?? armed.first?.shot else { return nil }
        let does = recorded.isEmpty ? "is about to record" : "records"
        return RigProblem(
            .conflict,
            "\(device.id) \(does) take \(take) and is not stopped; end the take with `capctl record stop \(take)`, or end "
                + "only this recording with `capctl session stop --force \(device.id)`")
    }
}

extension MovieRecordings {
    /// Recordings that accept frames, in order.
    fileprivate var recordedTakes: [RecordingInProgress] {
        recordings.filter { $0.value.isRecording }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the length of a recording, which may have ended, in whole milliseconds.
    fileprivate func recordedLength(of recording: RecordingInProgress) -> Duration {
        let order = recording.order
        guard let newest = (recordings[order.key] ?? recording).newest else { return .zero }
        return .milliseconds((newest - order.time).nanoseconds / 1_000_000)
    }
}
