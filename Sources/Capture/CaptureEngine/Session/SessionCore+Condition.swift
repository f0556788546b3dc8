import CameraKit
import CaptureModel
import PosixSupport

/// How the session stands, for the rig and for people.
extension SessionCore {
    /// What the device is doing.
    var condition: DeviceCondition {
        var total = counters
        total.add(stream?.stream.losses ?? FrameCounters())
        return DeviceCondition(
            state: deviceState, reason: reason, format: stream?.format, counters: total, phase: phase,
            session: sessionCondition)
    }

    private var phase: FramePhase? {
        guard isRunning, let newest = ring.newest, ring.count > 1,
            let rig = rigClock.rigTime(at: newest.midExposure)
        else { return nil }
        return FramePhase(midExposure: rig.time, periodNanoseconds: interval.nanoseconds)
    }

    private var deviceState: DeviceCondition.State {
        switch machine.state {
        case .stopped where isAboutToStart: .starting
        case .stopped, .stopping: .stopped
        case .starting: .starting
        case .running: .running
        // It comes back by itself, and nothing is wrong with it.
        case .interrupted(.largerPhoto, _): .starting
        case .interrupted(.deviceAbsent, _): .absent
        case .interrupted(.inUseByAnotherClient, _): .busy
        case .interrupted(.accessRevoked, _), .notAuthorized: .denied
        case .restarting(_, let trouble) where trouble.kind == .stall: .stalled
        case .interrupted(.nodeSuspended, _): .stalled
        case .interrupted(.systemPressure, _): .stopped
        case .interrupted(.noBandwidth, _), .restarting, .configurationFailed, .failed: .failed
        }
    }

    /// Whether only the beginning of ``CaptureSession/run()`` is missing.
    private var isAboutToStart: Bool { !isServing && !machine.isHeld && policy.standby == .always }

    /// A sentence that says why it does not run and what to do; nil while it runs or starts.
    private var reason: String? {
        switch machine.state {
        case .running, .starting: nil
        case .stopped where isAboutToStart: nil
        case .stopping: "the session is being stopped"
        case .stopped where machine.isHeld:
            "the session was stopped; start it with `capctl session start \(device.id)`"
        case .stopped:
            "the camera is on standby and nothing needs it; start it with `capctl session start \(device.id)`"
        case .interrupted(_, let why), .notAuthorized(_, let why): why
        case .restarting(let attempt, let trouble):
            "\(trouble); attempt \(attempt) of \(machine.limits.failures) to start it again"
        // The step is part of it.
        case .configurationFailed(_, let cause): cause
        case .failed(let why): "\(why); try again with `capctl resume \(device.id)`"
        }
    }

    var stateDescription: String { reason ?? "the camera is \(deviceState.rawValue)" }

    /// With what the outputs can be asked for.
    var sessionCondition: SessionCondition {
        var condition = SessionCondition(
            phase: machine.state.phase, interruption: machine.state.interruption, authorization: machine.authorization,
            attempt: machine.state.attempt, failedStep: machine.state.failedStep, demands: machine.demands.sorted(),
            isHeld: machine.isHeld, cost: cost)
        condition.abilities.switchInput = switchAbility
        for output in outputs { output.describe(&condition) }
        return condition
    }

    private var switchAbility: SessionAbilities.Ability {
        guard isRunning else { return .refused(stateDescription) }
        return isStreamNeeded ? .refused("captures are under way") : .allowed
    }

    /// What the camera costs while it runs; nil where nothing is known of its format before it has run, and where there is
    /// no camera.
    var cost: SessionCost? {
        if case .interrupted(.deviceAbsent, _) = machine.state { return nil }
        guard let format = stream?.format ?? plannedFormat else { return nil }
        let newest = stream == nil ? nil : ring.newest?.byteCount
        return SessionCostEstimate.cost(of: format, policy: policy, bytesPerFrame: newest, bus: knowledge.bus)
    }

    /// The format that will be asked for, where the configuration says enough of it.
    private var plannedFormat: VideoFormat? {
        guard let request = setup.format, let width = request.width, let height = request.height
        else { return nil }
        let rate = request.framesPerSecond ?? FormatResolution.defaultRate
        guard rate.isFinite, rate > 0 else { return nil }
        return VideoFormat(
            pixelFormat: request.pixelFormat ?? .mjpeg, width: width, height: height,
            frameInterval: .seconds(1) / rate)
    }
}
