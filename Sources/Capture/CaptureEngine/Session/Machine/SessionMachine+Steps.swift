import CameraKit
import CaptureModel

/// The steps that several events share.
extension SessionMachine {
    /// Opens the hardware of a session that is stopped or has given up.
    mutating func begin() -> [Action] {
        state = .starting
        (hasRun, failures) = (false, 0)
        retry.reset()
        return open()
    }

    mutating func open() -> [Action] {
        if let bar { return enter(bar) }
        hardware = .opening
        (hasAppeared, isAskedFor) = (false, false)
        defer { isRetryPlanned = false }
        return (isRetryPlanned ? [.cancelRetry] : []) + [.open]
    }

    /// Retries at once a session that waits or has given up, or when the hardware is closed. Has no effect while an
    /// attempt is in progress.
    mutating func tryAgain() -> [Action] {
        guard hardware == .closed else {
            isAskedFor = isAskedFor || hardware == .closing
            return []
        }
        switch state {
        case .failed, .configurationFailed: return begin()
        case .interrupted, .restarting, .notAuthorized: return open()
        case .stopped, .starting, .running, .stopping: return []
        }
    }

    /// Releases the hardware.
    mutating func halt() -> [Action] {
        guard state != .stopped, state != .stopping else { return [] }
        formatSwitch = nil
        let notices = interruptionEnd()
        if hardware == .closed {
            state = .stopped
            defer { isRetryPlanned = false }
            return notices + (isRetryPlanned ? [.cancelRetry] : [])
        }
        state = .stopping
        guard hardware != .closing else { return notices }
        hardware = .closing
        return notices + [.close]
    }

    /// Enters the state that a failure leads to. The caller updates the hardware's state.
    mutating func enter(_ trouble: SessionFailure) -> [Action] {
        // A session that is being stopped has nothing to lose.
        guard state != .stopping, state != .stopped else { return [] }
        formatSwitch = nil
        switch trouble.kind {
        case .interruption(let reason):
            return interrupt(reason, trouble)
        case .refused where hasRun:
            return interrupt(.accessRevoked, trouble)
        case .refused(let status):
            return leave(for: .notAuthorized(status, trouble.description))
        case .configuration(let step):
            return leave(for: .configurationFailed(step: step, cause: trouble.description))
        case .runtime, .stall:
            return fail(trouble)
        }
    }

    private mutating func interrupt(_ reason: InterruptionReason, _ trouble: SessionFailure) -> [Action] {
        // An external reason is not a failure of the device, so its delays start again.
        if state == .running { retry.reset() }
        if case .interrupted(reason, _) = state {
            state = .interrupted(reason, trouble.description)
            return []
        }
        let notices = leave(for: .interrupted(reason, trouble.description), told: false)
        return notices + [.notify(.wasInterrupted(reason, trouble.description))] + stopNotice()
    }

    private mutating func fail(_ trouble: SessionFailure) -> [Action] {
        failures += 1
        let attempt = failures <= limits.failures ? failures : nil
        let next = attempt.map { State.restarting(attempt: $0, trouble) } ?? .failed(trouble.description)
        let notices = leave(for: next, told: false)
        return notices + [.notify(.runtimeError(trouble.description, attempt: attempt))] + stopNotice()
    }

    private mutating func leave(for next: State, told: Bool = true) -> [Action] {
        let notices = interruptionEnd()
        state = next
        return told ? notices + stopNotice() : notices
    }

    /// Plans the next attempt of a session that waits for one.
    mutating func planRetry() -> [Action] {
        switch state {
        case .interrupted, .restarting, .notAuthorized:
            guard bar == nil else { return [] }
            // The device appeared during an attempt that began too early.
            if hasAppeared || isAskedFor { return open() }
            isRetryPlanned = true
            return [.retry(after: retry.advance())]
        case .configurationFailed, .failed:
            return (hasAppeared || isAskedFor) && isWanted ? begin() : []
        case .stopped, .starting, .running, .stopping:
            return []
        }
    }

    func interruptionEnd() -> [Action] {
        guard case .interrupted(let reason, _) = state else { return [] }
        return [.notify(.interruptionEnded(reason))]
    }

    mutating func stopNotice() -> [Action] {
        guard isTold else { return [] }
        isTold = false
        return [.notify(.didStopRunning)]
    }
}
