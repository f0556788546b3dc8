import CaptureEngine
import CaptureModel
import Journal

extension NodeEvents {
    /// Journals what a session tells.
    nonisolated func record(_ event: SessionEvent, of device: DeviceID) {
        switch event {
        case .conditionChanged(_, let condition):
            var details: [String: String] = [:]
            details["reason"] = condition.reason
            details["format"] = condition.format?.description
            record(.device(condition.state), device: device, details: details)
        case .session(_, let notice):
            record(notice.name, device: device, details: notice.details)
        case .streamGap(let key, let gap):
            record(
                EventName(rawValue: "session.streamGap"), device: device, shot: key.shot, details: gap.details)
        case .lifeCycle(let key, let step):
            record(
                step.name, device: key.device, shot: key.shot, details: step.details, life: step.life(of: key))
        case .captureGrew:
            // The coordinator is told by a report, and everybody by the step of the capture's life.
            break
        case .recording(let key, let notice):
            record(notice.name, device: key.device, shot: key.shot, details: notice.details)
        case .sceneChanged(let device, let change):
            record(.sceneChanged, device: device, details: change.details)
        }
    }
}

extension NodeEvents {
    /// Journals what became of a file that came after its capture's end.
    nonisolated func record(_ file: DeferredFile) {
        var details = ["kind": file.kind.rawValue]
        details["byteCount"] = file.file.map { "\($0.byteCount)" }
        details["sha256"] = file.file.map { "\($0.digest)" }
        details["code"] = file.problem?.code.rawValue
        details["error"] = file.problem?.message
        record(
            EventName(rawValue: "capture.didFinishProcessingDeferredFile"), device: file.report.key.device,
            shot: file.report.key.shot, details: details)
    }
}

extension SceneChange {
    fileprivate var details: [String: String] {
        ["difference": "\(difference)", "luma": "\(luma)", "count": "\(count)"]
    }
}

extension LifeCycleStep {
    /// The event's name on the bus.
    var name: EventName {
        switch self {
        case .willBeginCapture: EventName(rawValue: "capture.willBeginCapture")
        case .willCapturePhoto: EventName(rawValue: "capture.willCapturePhoto")
        case .didCapturePhoto: EventName(rawValue: "capture.didCapturePhoto")
        case .previewAvailable: EventName(rawValue: "capture.previewAvailable")
        case .didFinishProcessingPhoto: EventName(rawValue: "capture.didFinishProcessingPhoto")
        case .didFinishRecordingLivePhotoMovie:
            EventName(rawValue: "capture.didFinishRecordingLivePhotoMovie")
        case .didFinishProcessingLivePhotoMovie:
            EventName(rawValue: "capture.didFinishProcessingLivePhotoMovie")
        case .didFinishCapture: EventName(rawValue: "capture.didFinishCapture")
        }
    }

    /// A capture lasts from its first step to its last.
    func life(of key: CaptureKey) -> EventLife? {
        switch self {
        case .willBeginCapture: .opens(key.description)
        case .didFinishCapture: .closes(key.description)
        default: nil
        }
    }

    var details: [String: String] {
        switch self {
        case .willBeginCapture(let resolved):
            resolved.details
        case .willCapturePhoto, .didFinishRecordingLivePhotoMovie:
            [:]
        case .didCapturePhoto(let timing):
            [
                "skewNanoseconds": "\(timing.skewNanoseconds)",
                "boundNanoseconds": "\(timing.midExposure.boundNanoseconds)",
            ]
        case .previewAvailable(let preview):
            [
                "width": "\(preview.size.width)", "height": "\(preview.size.height)",
                "byteCount": "\(preview.jpeg.count)", "latencyNanoseconds": "\(preview.latencyNanoseconds)",
            ]
        case .didFinishProcessingPhoto(let file):
            ["kind": file.kind.rawValue, "byteCount": "\(file.byteCount)", "sha256": "\(file.digest)"]
        case .didFinishProcessingLivePhotoMovie(let movie):
            [
                "kind": movie.file.kind.rawValue, "byteCount": "\(movie.file.byteCount)",
                "sha256": "\(movie.file.digest)",
                "durationNanoseconds": "\(movie.durationNanoseconds)", "frames": "\(movie.frameCount)",
                "photoDisplayNanoseconds": "\(movie.photoDisplayNanoseconds)",
            ]
        case .didFinishCapture(let problem):
            problem.map { ["code": $0.code.rawValue, "error": $0.message] } ?? [:]
        }
    }
}

extension ResolvedPhotoSettings {
    /// What `willBeginCapture` says on the bus; what does not apply is left out.
    var details: [String: String] {
        var details = ["width": "\(width)", "height": "\(height)", "format": "\(streamFormat)"]
        details["mirrored"] = mirrored.map { "\($0)" }
        details["thumbnail"] = thumbnail?.description
        details["preview"] = preview?.description
        details["flashUsed"] = isFlashUsed.map { "\($0)" }
        details["bracketCount"] = bracketCount.map { "\($0)" }
        details["raw"] = raw.map { "\($0.bits) bits \($0.dimensions)" }
        details["photoFormat"] = photoFormat?.description
        details["expectedGapNanoseconds"] = expectedGapNanoseconds.map { "\($0)" }
        details["movieDimensions"] = livePhoto?.dimensions.description
        details["moviePreRollNanoseconds"] = livePhoto.map { "\($0.preRollNanoseconds)" }
        details["movieSound"] = (livePhoto?.hasSound ?? movie?.hasSound).map { "\($0)" }
        details["movieNote"] = livePhotoNote ?? movie?.note
        return details
    }
}

extension StreamGap {
    fileprivate var details: [String: String] {
        var details = ["startLocalNanoseconds": "\(localStart.nanoseconds)"]
        details["startRigNanoseconds"] = start.map { "\($0.nanoseconds)" }
        details["lengthNanoseconds"] = nanoseconds.map { "\($0)" }
        return details
    }
}
