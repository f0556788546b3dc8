import CameraKit
public import CaptureModel
import PosixSupport
import Spool

/// What the session can be asked for, and what it costs.
extension CaptureSession {
    var sessionCondition: SessionCondition {
        SessionCondition(
            phase: machine.state.phase, interruption: machine.state.interruption, authorization: machine.authorization,
            attempt: machine.state.attempt, failedStep: machine.state.failedStep, demands: machine.demands.sorted(),
            isHeld: machine.isHeld, readiness: readiness, abilities: abilities, cost: cost,
            largerPhoto: largerPhoto, livePhotosInProgress: livePhotosInProgress, recording: recordingProgress,
            hasRaw: hasRaw)
    }

    /// Whether a further capture would be taken.
    public var readiness: CaptureReadiness {
        guard isRunning || machine.formatSwitch != nil else { return .notRunning }
        guard machine.formatSwitch == nil, !pending.values.contains(where: \.hasCamera) else { return .busy }
        if captureShortage(ring.newest?.byteCount ?? 0) != nil { return .busy }
        if pending.values.contains(where: { $0.isFired && !$0.isChosen }) { return .waitingForCapture }
        return pending.values.contains(where: \.isChosen) ? .waitingForProcessing : .ready
    }

    /// Bytes of the spool that its next photo needs; nil while the session does not run.
    public var roomForPhoto: Int64? { isRunning && ring.newest != nil ? photoByteCount : nil }

    /// What can be asked for, with reasons. Whether there is another camera to switch to, only the node knows.
    public var abilities: SessionAbilities {
        SessionAbilities(
            photo: photoAbility, live: liveAbility, record: recordAbility, switchInput: switchAbility,
            largerPhoto: largerPhotoAbility,
            raw: rawAbility)
    }

    var photoAbility: SessionAbilities.Ability {
        guard isRunning else { return .refused(stateDescription) }
        guard connection(to: .photo)?.isEnabled == true else {
            return .refused("photos are supported and not enabled: the connection to that output is not")
        }
        if pending.values.contains(where: \.hasCamera) {
            return .refused("a capture that overlaps with none is under way")
        }
        if let shortage = spool.lastUsage?.shortage(of: photoByteCount) { return .refused(shortage) }
        return captureShortage(ring.newest?.byteCount ?? 0).map { .refused($0) } ?? .allowed
    }

    private var switchAbility: SessionAbilities.Ability {
        guard isRunning else { return .refused(stateDescription) }
        if !recordings.isEmpty { return .refused("a movie is being recorded") }
        return pending.isEmpty && !isRecordingClips ? .allowed : .refused("captures are under way")
    }

    /// What the camera costs while it runs; nil where nothing is known of its format before it has run, and where there is
    /// no camera.
    public var cost: SessionCost? {
        if case .interrupted(.deviceAbsent, _) = machine.state { return nil }
        guard let format = stream?.format ?? plannedFormat else { return nil }
        let newest = stream == nil ? nil : ring.newest?.byteCount
        return SessionCostEstimate.cost(of: format, policy: policy, bytesPerFrame: newest, bus: bus)
    }

    /// The format that will be asked for, where the configuration says enough of it.
    private var plannedFormat: VideoFormat? {
        guard let request = setup.withLock({ $0.format }), let width = request.width, let height = request.height
        else { return nil }
        let rate = request.framesPerSecond ?? FormatResolution.defaultRate
        guard rate.isFinite, rate > 0 else { return nil }
        return VideoFormat(
            pixelFormat: request.pixelFormat ?? .mjpeg, width: width, height: height,
            frameInterval: .seconds(1) / rate)
    }
}

extension SessionMachine {
    /// What the last attempt showed of the permission to open the device.
    var authorization: AuthorizationStatus {
        switch state {
        case .notAuthorized(let status, _): status
        case .interrupted(.accessRevoked, _): .denied
        default: hasRun || hardware == .open ? .authorized : .notDetermined
        }
    }
}

extension SessionMachine.State {
    var phase: SessionCondition.Phase {
        switch self {
        case .stopped: .stopped
        case .starting: .starting
        case .running: .running
        case .stopping: .stopping
        case .interrupted: .interrupted
        case .restarting: .restarting
        case .notAuthorized: .notAuthorized
        case .configurationFailed: .configurationFailed
        case .failed: .failed
        }
    }

    var interruption: InterruptionReason? {
        if case .interrupted(let reason, _) = self { reason } else { nil }
    }

    var attempt: Int? {
        if case .restarting(let attempt, _) = self { attempt } else { nil }
    }

    var failedStep: String? {
        if case .configurationFailed(let step, _) = self { step } else { nil }
    }
}
