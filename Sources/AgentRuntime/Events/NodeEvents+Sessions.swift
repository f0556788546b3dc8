import CaptureEngine
import CaptureModel

extension NodeEvents {
    /// Journals what a session tells.
    nonisolated func record(_ event: SessionEvent, of device: DeviceID) async {
        switch event {
        case .conditionChanged(let condition):
            var details: [String: String] = [:]
            details["reason"] = condition.reason
            details["format"] = condition.format?.description
            await record(.device(condition.state), device: device, details: details)
        case .lifeCycle(let key, let step):
            await record(step.name, device: key.device, shot: key.shot, details: step.details)
        }
    }
}

extension LifeCycleStep {
    /// The event's name on the bus.
    var name: EventName {
        switch self {
        case .willBeginCapture: EventName(rawValue: "capture.willBeginCapture")
        case .willCapturePhoto: EventName(rawValue: "capture.willCapturePhoto")
        case .didCapturePhoto: EventName(rawValue: "capture.didCapturePhoto")
        case .didFinishProcessingPhoto: EventName(rawValue: "capture.didFinishProcessingPhoto")
        case .didFinishCapture: EventName(rawValue: "capture.didFinishCapture")
        }
    }

    var details: [String: String] {
        switch self {
        case .willBeginCapture(let resolved):
            ["width": "\(resolved.width)", "height": "\(resolved.height)", "format": "\(resolved.streamFormat)"]
        case .willCapturePhoto:
            [:]
        case .didCapturePhoto(let timing):
            [
                "skewNanoseconds": "\(timing.skewNanoseconds)",
                "boundNanoseconds": "\(timing.midExposure.boundNanoseconds)",
            ]
        case .didFinishProcessingPhoto(let file):
            ["kind": file.kind.rawValue, "byteCount": "\(file.byteCount)", "sha256": "\(file.digest)"]
        case .didFinishCapture(let problem):
            problem.map { ["code": $0.code.rawValue, "error": $0.message] } ?? [:]
        }
    }
}
