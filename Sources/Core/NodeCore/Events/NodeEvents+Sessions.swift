import CaptureEngine
import CaptureModel
import Journal
import Spool

extension NodeEvents {
    /// Journals an event of a session.
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
                step.name, device: key.device, shot: key.shot, details: step.details, lifetime: step.lifetime(of: key))
        case .captureGrew:
            // A report informs the coordinator. The life-cycle step of the capture informs everybody else.
            break
        case .recording(let key, let notice):
            record(notice.name, device: key.device, shot: key.shot, details: notice.details)
        case .sceneChanged(let device, let change):
            record(.sceneChanged, device: device, details: change.details)
        case .settings(let device, let notice):
            record(
                notice.name, device: device,
                details: notice.details.merging(pressTime(of: notice)) { $1 })
        }
    }

    /// When the button to focus was pressed, on the rig's time line; empty if none was, or the node has no rig time.
    private nonisolated func pressTime(of notice: SettingsNotice) -> [String: String] {
        guard case .refocused(let refocus) = notice, refocus.problem == nil,
            let pressed = rigTime(at: refocus.pressed)
        else { return [:] }
        return [
            "pressedRigNanoseconds": "\(pressed.time.nanoseconds)",
            "pressedBoundNanoseconds": "\(pressed.bound.nanoseconds)",
        ]
    }
}

extension NodeEvents {
    /// Journals the outcome of a file that was made after its capture ended.
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

    /// Returns the lifetime event: a capture lasts from its first step to its last.
    func lifetime(of key: CaptureKey) -> EventLifetime? {
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
    /// The details of `willBeginCapture` on the bus, without those that do not apply.
    var details: [String: String] {
        var details = ["width": "\(width)", "height": "\(height)", "format": "\(streamFormat)"]
        details["mirrored"] = mirrored.map { "\($0)" }
        details["thumbnail"] = thumbnail?.description
        details["preview"] = preview?.description
        details["flashUsed"] = isFlashUsed.map { "\($0)" }
        details["bracketCount"] = bracketCount.map { "\($0)" }
        details["raw"] = raw.map { raw in raw.samples.map { "\($0.bits) bits \($0.dimensions)" } ?? "camera file" }
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

extension NodeEvents {
    /// Ends every capture that an earlier run of the agent began and did not end, before any other event is recorded.
    /// If the capture's files are durable in the spool, it ends without an error, or with the problem of its first
    /// failed file. If the capture is not in the spool, or still owes a file, it ends with `agentRestarted`.
    nonisolated func endUnfinishedCaptures(in spool: Spool) async {
        for opening in await unfinished() {
            guard let event = try? opening.event(), let device = event.device, let shot = event.shot else { continue }
            let key = CaptureKey(shot: shot, device: device)
            let report = await spool.report(of: key)
            let isCutOff = report.map { !$0.owed.isEmpty } ?? true
            let problem = isCutOff ? Self.restarted(device) : report?.failed.first?.problem
            record(.lifeCycle(key, .didFinishCapture(problem)), of: device)
        }
    }

    private static func restarted(_ device: DeviceID) -> RigProblem {
        RigProblem(
            .agentRestarted, "the agent of node '\(device.node)' ended while \(device) was capturing, and was restarted"
        )
    }
}

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

extension SessionNotice {
    /// The event's name on the bus.
    var name: EventName {
        switch self {
        case .didStartRunning: EventName(rawValue: "session.didStartRunning")
        case .didStopRunning: EventName(rawValue: "session.didStopRunning")
        case .wasInterrupted: EventName(rawValue: "session.wasInterrupted")
        case .interruptionEnded: EventName(rawValue: "session.interruptionEnded")
        case .runtimeError: EventName(rawValue: "session.runtimeError")
        }
    }

    var details: [String: String] {
        switch self {
        case .didStartRunning, .didStopRunning:
            return [:]
        case .wasInterrupted(let reason, let why):
            return ["interruption": reason.rawValue, "reason": why]
        case .interruptionEnded(let reason):
            return ["interruption": reason.rawValue]
        case .runtimeError(let why, let attempt):
            var details = ["reason": why, "restarts": "\(attempt != nil)"]
            details["attempt"] = attempt?.description
            return details
        }
    }
}

extension SettingsNotice {
    /// The event's name on the bus.
    var name: EventName {
        switch self {
        case .changed: EventName(rawValue: "settings.changed")
        case .undone: EventName(rawValue: "settings.undone")
        case .restored: EventName(rawValue: "settings.restored")
        case .drifted: EventName(rawValue: "settings.drifted")
        case .refocused: EventName(rawValue: "settings.refocused")
        case .notRestored: EventName(rawValue: "settings.notRestored")
        case .notKept: EventName(rawValue: "settings.notKept")
        }
    }

    var details: [String: String] {
        var details: [String: String] = [:]
        details["settings"] = id.map { "\($0)" }
        if case .drifted(_, _, let count) = self { details["count"] = "\(count)" }
        details["controls"] = differences.isEmpty ? nil : differences.map(\.text).joined(separator: ", ")
        if case .changed(_, .success(let effect)) = self {
            details["evidence"] = effect.change.evidence.rawValue
            details["lastOld"] = effect.change.lastOld.map { "\($0.sequence)" }
            details["firstNew"] = effect.change.firstNew.map { "\($0.sequence)" }
            details["firstNewRigNanoseconds"] = effect.change.firstNew.map { "\($0.midExposure.time.nanoseconds)" }
            details["firstNewBoundNanoseconds"] = effect.change.firstNew.map {
                "\($0.midExposure.bound.nanoseconds)"
            }
        }
        if case .refocused(let refocus) = self {
            details["difference"] = "\(refocus.change.difference)"
            details["count"] = "\(refocus.change.count)"
            details["outcome"] = refocus.problem == nil ? refocus.outcome.rawValue : nil
            details["positionBefore"] = refocus.positionBefore.map { "\($0)" }
            details["positionAfter"] = refocus.positionAfter.map { "\($0)" }
        }
        details["code"] = problem?.code.rawValue
        details["error"] = problem?.message
        return details
    }

    var id: SettingsID? {
        switch self {
        case .changed(let id, _), .undone(let id, _): id
        case .restored(let id, _), .drifted(let id, _, _): id
        case .refocused, .notRestored, .notKept: nil
        }
    }

    /// What the camera had instead of what it is to have.
    var differences: [ControlDifference] {
        switch self {
        case .restored(_, let differences), .drifted(_, let differences, _): differences
        case .changed, .undone, .refocused, .notRestored, .notKept: []
        }
    }

    /// What has failed; nil if nothing has.
    var problem: RigProblem? {
        switch self {
        case .changed(_, .success), .restored, .drifted: nil
        case .refocused(let refocus): refocus.problem
        case .changed(_, .failure(let problem)): problem
        case .undone(_, let problem): problem
        case .notRestored(let problem), .notKept(let problem): problem
        }
    }
}

extension ControlDifference {
    /// `gain 4 instead of 8`.
    var text: String { "\(control) \(found.map { "\($0)" } ?? "unreadable") instead of \(desired)" }
}
