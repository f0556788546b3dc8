internal import CaptureModel
internal import RigClient

/// Triggers a shot and shows how it comes along.
struct ShotWatch {
    var console: Console
    /// Shown before the counts, such as `shot 3 of 20: `.
    var prefix = ""

    /// Triggers, and waits for the coordinator's answer.
    /// - Throws: `RigClientError`; `CancellationError` where the task is cancelled, and the shot goes on.
    func take(_ request: TriggerRequest, by client: RigClient) async throws -> LocatedShot {
        defer { console.endProgress() }
        console.progress(prefix + "asking")
        for try await update in client.trigger(request) {
            switch update {
            case .progress(let progress): console.progress(prefix + Self.line(progress))
            case .repeated: console.progress(prefix + "nothing heard, asking again")
            case .answered(let document): return document
            }
        }
        throw CancellationError()
    }

    static func line(_ progress: ShotProgress) -> String {
        var parts = [
            "\(progress.armed) of \(progress.expected.counted("camera")) armed", "\(progress.captured) captured",
            "\(progress.done) done",
        ]
        if progress.partial > 0 { parts.append("\(progress.partial) partial") }
        if progress.missed > 0 { parts.append("\(progress.missed) missed") }
        if progress.failed > 0 { parts.append("\(progress.failed) failed") }
        if let spread = progress.predictedSpread { parts.append("predicted spread \(spread.shortText)") }
        return parts.joined(separator: ", ")
    }
}
