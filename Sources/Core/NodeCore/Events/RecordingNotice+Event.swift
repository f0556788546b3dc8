import CaptureEngine
import CaptureModel

extension RecordingNotice {
    /// The event's name on the bus.
    var name: EventName {
        switch self {
        case .didStartRecording: EventName(rawValue: "recording.didStartRecording")
        case .didFinishRecording: EventName(rawValue: "recording.didFinishRecording")
        }
    }

    var details: [String: String] {
        switch self {
        case .didStartRecording(let timing):
            return [
                "skewNanoseconds": "\(timing.skewNanoseconds)",
                "boundNanoseconds": "\(timing.midExposure.boundNanoseconds)",
            ]
        case .didFinishRecording(let movie, let problem):
            var details: [String: String] = [:]
            details["frames"] = movie.map { "\($0.frameCount)" }
            details["missingFrames"] = movie.map { "\($0.missingFrames)" }
            details["durationNanoseconds"] = movie.map { "\($0.durationNanoseconds)" }
            details["end"] = movie?.end.rawValue
            details["code"] = problem?.code.rawValue
            details["error"] = problem?.message
            return details
        }
    }
}
