public import CameraKit
public import CaptureModel

extension SessionMachine {
    /// An event of a session.
    public enum Event: Hashable, Sendable {
        /// Something needs the session. `command` also ends the effect of `stop`, and retries a session that has
        /// failed.
        case start(SessionDemand)
        /// Something no longer needs it.
        case release(SessionDemand)
        /// The session is stopped by a command.
        case stop
        /// An immediate retry is requested.
        case resume
        /// The hardware is to be closed for another configuration.
        case suspend
        /// It may be opened again.
        case unsuspend
        /// The hardware is to be closed, and opened in the format of a still. The sentence states the purpose.
        case leave(String)
        /// The hardware is to be closed, and opened in the stream's format again.
        case returnToStream
        /// The system has a device that may be the session's.
        case deviceAppeared
        /// The hardware is open.
        case opened
        /// The hardware could not be opened, and is closed.
        case openFailed(SessionFailure)
        /// The first good frame since the hardware was opened.
        case firstFrame
        /// It has run for long enough that earlier failures do not count.
        case goodPeriod
        /// The stream has ended, or delivers nothing. The hardware is still open.
        case trouble(SessionFailure)
        /// The hardware is closed, and free for others.
        case closed
        /// The machine or the process was suspended. The sentence says which.
        case nodeSuspended(String)
        /// From here on the hardware must stay closed, for this reason and with this sentence.
        case barred(InterruptionReason, String)
        /// The bar has ended.
        case unbarred
        /// The wait that ``Action/retry(after:)`` asked for is over.
        case retryDue
    }

    /// An action of the owner.
    public enum Action: Hashable, Sendable {
        case open
        case close
        /// Wait this long, then send `retryDue`. Replaces an earlier wait.
        case retry(after: Duration)
        case cancelRetry
        case notify(SessionNotice)
    }

    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .start(let demand): start(demand)
        case .release(let demand): release(demand)
        case .stop: stop()
        case .resume: isWanted ? tryAgain() : []
        case .suspend: suspend()
        case .unsuspend: unsuspend()
        case .leave(let why): depart(for: why)
        case .returnToStream: returnToStream()
        case .deviceAppeared: appeared()
        case .opened: opened()
        case .openFailed(let trouble): openFailed(trouble)
        case .firstFrame: firstFrame()
        case .goodPeriod: goodPeriod()
        case .trouble(let trouble): hardware == .open ? lose(to: trouble) : []
        case .closed: closed()
        case .nodeSuspended(let why): suspended(why)
        case .barred(let reason, let why): barred(SessionFailure(.interruption(reason), why))
        case .unbarred: unbarred()
        case .retryDue: retryDue()
        }
    }

    // MARK: Requests

    private mutating func start(_ demand: SessionDemand) -> [Action] {
        demands.insert(demand)
        if demand == .command { isHeld = false }
        guard isWanted else { return [] }
        if state == .stopped { return begin() }
        return demand == .command ? tryAgain() : []
    }

    private mutating func release(_ demand: SessionDemand) -> [Action] {
        demands.remove(demand)
        return isWanted ? [] : halt()
    }

    private mutating func stop() -> [Action] {
        isHeld = true
        demands.remove(.command)
        return halt()
    }

    private mutating func suspend() -> [Action] {
        isSuspended = true
        return halt()
    }

    private mutating func unsuspend() -> [Action] {
        isSuspended = false
        return isWanted && state == .stopped ? begin() : []
    }

    private mutating func appeared() -> [Action] {
        hasAppeared = true
        // The retry delays because of its absence are over, even if an attempt that began too early is in progress.
        retry.reset()
        return isWanted ? tryAgain() : []
    }

    // MARK: Hardware events

    private mutating func opened() -> [Action] {
        // If it was stopped while it opened, the request to close has already been made.
        if hardware == .opening { hardware = .open }
        return []
    }

    private mutating func openFailed(_ trouble: SessionFailure) -> [Action] {
        switch hardware {
        case .closed, .open: return []
        case .closing: return closed()
        case .opening where formatSwitch == .away:
            // A failure of the still's format is not a failure of the stream.
            hardware = .closed
            return continueSwitch(.returning)
        case .opening:
            hardware = .closed
            return enter(trouble) + planRetry()
        }
    }

    private mutating func firstFrame() -> [Action] {
        guard hardware == .open, state != .running, formatSwitch != .away else { return [] }
        formatSwitch = nil
        let notices = interruptionEnd()
        state = .running
        (hasRun, isTold) = (true, true)
        return notices + [.notify(.didStartRunning)]
    }

    private mutating func goodPeriod() -> [Action] {
        guard state == .running else { return [] }
        failures = 0
        retry.reset()
        return []
    }

    private mutating func lose(to trouble: SessionFailure) -> [Action] {
        if formatSwitch == .away { return turnBack() }
        hardware = .closing
        return enter(trouble) + [.close]
    }

    /// Interrupts a running session. The hardware stays open: the next good frame ends the interruption, and the
    /// watchdog closes a stream that delivers none.
    private mutating func suspended(_ why: String) -> [Action] {
        state == .running ? enter(SessionFailure(.interruption(.nodeSuspended), why)) : []
    }

    private mutating func barred(_ trouble: SessionFailure) -> [Action] {
        bar = trouble
        switch state {
        case .stopped, .stopping, .failed, .configurationFailed: return []
        case .starting, .running, .interrupted, .restarting, .notAuthorized: break
        }
        var actions = enter(trouble)
        if isRetryPlanned { actions.append(.cancelRetry) }
        isRetryPlanned = false
        guard hardware == .open || hardware == .opening else { return actions }
        hardware = .closing
        return actions + [.close]
    }

    private mutating func unbarred() -> [Action] {
        guard bar != nil else { return [] }
        bar = nil
        // If it is still being closed, the end of that plans the next attempt.
        guard case .interrupted = state, hardware == .closed, isWanted else { return [] }
        return open()
    }

    private mutating func closed() -> [Action] {
        guard hardware == .closing || hardware == .open else { return [] }
        let wasLost = hardware == .open ? enter(SessionFailure(.runtime, "the hardware was closed unasked")) : []
        hardware = .closed
        if let formatSwitch { return continueSwitch(formatSwitch) }
        guard state == .stopping else { return wasLost + planRetry() }
        state = .stopped
        let notices = stopNotice()
        return isWanted ? notices + begin() : notices
    }

    private mutating func retryDue() -> [Action] {
        guard isRetryPlanned else { return [] }
        isRetryPlanned = false
        return open()
    }
}
