public import CaptureModel

extension CaptureSession {
    /// Stops the session as ``stopRunning()`` does, unless that would cut a recording off.
    /// - Parameter isCutting: Whether recordings may be cut off; what was recorded until then is kept.
    /// - Returns: What was cut off, a sentence each.
    /// - Throws: `conflict` where it records a movie, or is armed to, and that may not be cut off; then nothing is stopped.
    public func stopRunning(cuttingRecordings isCutting: Bool) async throws(CaptureProblem) -> [String] {
        let (recorded, armed) = (recordedTakes, armedTakes)
        if !isCutting, let objection = objection(toCutting: recorded, armed) { throw objection }
        // Nothing may begin to record between the look and the stop.
        await handle(.stop)
        await settle()
        return recorded.map { key, recording in
            let length = (recordings[key]?.newest ?? recording.newest).map { $0 - recording.order.time } ?? .zero
            return
                "the recording of take \(key.shot) is cut off after \(Self.rounded(length)); what was recorded is kept"
        } + armed.map { "the recording of take \($0.shot) is cut off at its beginning" }
    }

    private var recordedTakes: [(CaptureKey, RecordingInProgress)] {
        recordings.filter { $0.value.ending == nil }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Takes that it is to record, and of which it has no frame yet.
    private var armedTakes: [CaptureKey] {
        pending.filter { $0.value.order.settings.movie != nil }.map(\.key).sorted()
    }

    private func objection(
        toCutting recorded: [(CaptureKey, RecordingInProgress)], _ armed: [CaptureKey]
    ) -> CaptureProblem? {
        guard let take = recorded.first?.0.shot ?? armed.first?.shot else { return nil }
        let does = recorded.isEmpty ? "is about to record" : "records"
        return CaptureProblem(
            .conflict,
            "\(device.id) \(does) take \(take) and is not stopped; end the take with `capctl record stop \(take)`, or cut "
                + "the recording off with `capctl session stop --force \(device.id)`")
    }

    private static func rounded(_ length: Duration) -> Duration {
        .milliseconds(length.nanoseconds / 1_000_000)
    }
}
