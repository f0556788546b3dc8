import CameraKit
public import CaptureModel

/// How the session stands, for the rig and for people.
extension CaptureSession {
    /// What the device is doing.
    public var condition: DeviceCondition {
        var total = counters
        total.add(stream?.losses ?? FrameCounters())
        return DeviceCondition(
            state: deviceState, reason: reason, format: stream?.format, counters: total, phase: phase,
            session: sessionCondition)
    }

    private var phase: FramePhase? {
        guard isRunning, let newest = ring.newest, ring.count > 1,
            let rig = rigClock.rigTime(at: newest.midExposure)
        else { return nil }
        return FramePhase(midExposure: rig.time, periodNanoseconds: interval.value.nanoseconds)
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

    /// Whether only the beginning of ``run()`` is missing.
    private var isAboutToStart: Bool { !isServing && !machine.isHeld && policy.standby == .always }

    /// A sentence that says why it does not run and what to do; nil while it runs or starts.
    var reason: String? {
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
}
