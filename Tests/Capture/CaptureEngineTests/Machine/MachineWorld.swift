import CameraKit
import CaptureModel

@testable import CaptureEngine

/// A session's machine with hardware that does as it is told, and what was told of it.
struct MachineWorld {
    var machine: SessionMachine
    /// Everything asked for, in order, since the last ``drain()``.
    var actions: [SessionMachine.Action] = []
    /// The wait that is planned.
    var wait: Duration?
    private(set) var notices: [SessionNotice] = []
    /// What was done that may not be.
    private(set) var faults: [String] = []
    private var isOpen = false
    private var isRunning = false
    private var interruption: InterruptionReason?

    init(failures: Int = 3) {
        machine = SessionMachine(limits: SessionMachine.Limits(failures: failures))
    }

    mutating func tell(_ event: SessionMachine.Event) {
        switch event {
        case .openFailed, .closed: isOpen = false
        default: break
        }
        for action in machine.handle(event) {
            actions.append(action)
            carryOut(action)
        }
        check()
    }

    mutating func tell(_ events: SessionMachine.Event...) {
        for event in events { tell(event) }
    }

    /// The names of what was asked for since the last time.
    mutating func drain() -> [String] {
        defer { actions = [] }
        return actions.map(\.name)
    }

    private mutating func carryOut(_ action: SessionMachine.Action) {
        switch action {
        case .open:
            if isOpen { faults.append("opened twice") }
            (isOpen, wait) = (true, nil)
        case .close:
            if !isOpen { faults.append("closed what is not open") }
        case .retry(let delay):
            if isOpen { faults.append("waits for a try while one is made") }
            wait = delay
        case .cancelRetry:
            if wait == nil { faults.append("gave up a wait there was none of") }
            wait = nil
        case .notify(let notice):
            notices.append(notice)
            note(notice)
        }
    }

    private mutating func note(_ notice: SessionNotice) {
        switch notice {
        case .didStartRunning:
            if isRunning { faults.append("started running twice") }
            isRunning = true
        case .didStopRunning:
            if !isRunning { faults.append("stopped without running") }
            isRunning = false
        case .wasInterrupted(let reason, _):
            if interruption != nil { faults.append("interrupted twice") }
            interruption = reason
        case .interruptionEnded(let reason):
            if interruption != reason { faults.append("another interruption ended") }
            interruption = nil
        case .runtimeError(_, let attempt):
            if let attempt, attempt < 1 || attempt > machine.limits.failures { faults.append("attempt \(attempt)") }
        }
    }

    /// What holds after every event.
    private mutating func check() {
        if isOpen != (machine.hardware != .closed) { faults.append("the hardware is thought to be otherwise") }
        if isRunning, machine.state != .running, machine.state != .stopping { faults.append("running is over untold") }
        var reason: InterruptionReason?
        if case .interrupted(let present, _) = machine.state { reason = present }
        if reason != interruption { faults.append("an interruption is untold") }
        let isBarred = machine.bar != nil
        if isBarred, machine.hardware == .open || machine.hardware == .opening { faults.append("barred and open") }
        let isWaiting = machine.hardware == .closed && machine.state.isRetried && !isBarred
        if isWaiting != (wait != nil) { faults.append("waits for nothing, or for ever, in \(machine.state)") }
        if machine.state == .stopped, machine.isWanted { faults.append("stopped although it is wanted") }
        if machine.state == .stopped, machine.hardware != .closed { faults.append("stopped and not closed") }
    }

    /// The hardware as its owner told the machine to have it.
    enum Owed { case nothing, answerToOpen, frames, answerToClose }

    var owed: Owed {
        switch machine.hardware {
        case .closed: .nothing
        case .opening: .answerToOpen
        case .open: .frames
        case .closing: .answerToClose
        }
    }
}

extension SessionMachine.State {
    /// Whether it is tried again after a wait.
    var isRetried: Bool {
        switch self {
        case .interrupted, .restarting, .notAuthorized: true
        default: false
        }
    }

    /// The state without its sentence.
    var name: String {
        switch self {
        case .stopped: "stopped"
        case .starting: "starting"
        case .running: "running"
        case .stopping: "stopping"
        case .interrupted(let reason, _): "interrupted(\(reason.rawValue))"
        case .restarting(let attempt, _): "restarting(\(attempt))"
        case .notAuthorized(let status, _): "notAuthorized(\(status.rawValue))"
        case .configurationFailed(let step, _): "configurationFailed(\(step))"
        case .failed: "failed"
        }
    }
}

extension SessionMachine.Action {
    var name: String {
        switch self {
        case .open: "open"
        case .close: "close"
        case .retry(let delay): "retry \(delay.nanoseconds / 1_000_000)"
        case .cancelRetry: "cancelRetry"
        case .notify(.didStartRunning): "didStartRunning"
        case .notify(.didStopRunning): "didStopRunning"
        case .notify(.wasInterrupted(let reason, _)): "wasInterrupted \(reason.rawValue)"
        case .notify(.interruptionEnded(let reason)): "interruptionEnded \(reason.rawValue)"
        case .notify(.runtimeError(_, let attempt)): attempt.map { "runtimeError \($0)" } ?? "runtimeError"
        }
    }
}

extension SessionFailure {
    static let unplugged = SessionFailure(.interruption(.deviceAbsent), "unplugged")
    static let busy = SessionFailure(.interruption(.inUseByAnotherClient), "held by another program")
    static let denied = SessionFailure(.refused(.denied), "may not be opened")
    static let noFormat = SessionFailure(.configuration(step: "choose a format"), "no such format")
    static let broken = SessionFailure(.runtime, "the driver failed")
    static let stall = SessionFailure(.stall, "no frames")
}
