public import CameraKit
public import CaptureModel

extension SessionMachine {
    /// What happens to a session.
    public enum Event: Hashable, Sendable {
        /// Something needs the session. `command` also ends what a `stop` holds, and tries again what has failed.
        case start(SessionDemand)
        /// Something needs it no more.
        case release(SessionDemand)
        /// Somebody stops it.
        case stop
        /// Somebody has it tried again.
        case resume
        /// The hardware is to be closed for another configuration.
        case suspend
        /// It may be opened again.
        case unsuspend
        /// The hardware is to be closed, and opened in the format of a still; the sentence says what for.
        case leave(String)
        /// The hardware is to be closed, and opened in the stream's format again.
        case comeBack
        /// The system has a device that may be the session's.
        case deviceAppeared
        /// The hardware is open.
        case opened
        /// The hardware could not be opened, and is closed.
        case openFailed(SessionTrouble)
        /// The first good frame since the hardware was opened.
        case firstFrame
        /// It has run for so long that earlier failures count no more.
        case goodPeriod
        /// The stream has ended by itself, or delivers nothing; the hardware is still open.
        case trouble(SessionTrouble)
        /// The hardware is closed, and free for others.
        case closed
        /// Machine or process stood still for a while; the sentence says which.
        case nodeSuspended(String)
        /// From here on the hardware is to be closed, for this reason and with this sentence.
        case barred(InterruptionReason, String)
        /// That is over.
        case unbarred
        /// The wait that ``Action/retry(after:)`` asked for is over.
        case retryDue
    }

    /// What the owner is to do.
    public enum Action: Hashable, Sendable {
        case open
        case close
        /// Wait so long, then tell `retryDue`; replaces an earlier wait.
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
        case .comeBack: comeBack()
        case .deviceAppeared: appeared()
        case .opened: opened()
        case .openFailed(let trouble): openFailed(trouble)
        case .firstFrame: firstFrame()
        case .goodPeriod: goodPeriod()
        case .trouble(let trouble): hardware == .open ? lose(to: trouble) : []
        case .closed: closed()
        case .nodeSuspended(let why): suspended(why)
        case .barred(let reason, let why): barred(SessionTrouble(.interruption(reason), why))
        case .unbarred: unbarred()
        case .retryDue: retryDue()
        }
    }

    // MARK: What is asked for

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
        // The waits of its absence are over, even where an attempt is being made that began too early.
        retry.reset()
        return isWanted ? tryAgain() : []
    }

    // MARK: What the hardware says

    private mutating func opened() -> [Action] {
        // Where it was stopped meanwhile, the order to close is given already.
        if hardware == .opening { hardware = .open }
        return []
    }

    private mutating func openFailed(_ trouble: SessionTrouble) -> [Action] {
        switch hardware {
        case .closed, .open: return []
        case .closing: return closed()
        case .opening where formatSwitch == .away:
            // What the still's format met with is no trouble of the stream.
            hardware = .closed
            return goOn(.returning)
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

    private mutating func lose(to trouble: SessionTrouble) -> [Action] {
        if formatSwitch == .away { return turnBack() }
        hardware = .closing
        return enter(trouble) + [.close]
    }

    /// The hardware stays open: the next good frame ends it, and the watchdog closes what delivers none.
    private mutating func suspended(_ why: String) -> [Action] {
        state == .running ? enter(SessionTrouble(.interruption(.nodeSuspended), why)) : []
    }

    private mutating func barred(_ trouble: SessionTrouble) -> [Action] {
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
        // Where it is being closed still, the end of that plans the next attempt.
        guard case .interrupted = state, hardware == .closed, isWanted else { return [] }
        return open()
    }

    private mutating func closed() -> [Action] {
        guard hardware == .closing || hardware == .open else { return [] }
        let wasLost = hardware == .open ? enter(SessionTrouble(.runtime, "the hardware was closed unasked")) : []
        hardware = .closed
        if let formatSwitch { return goOn(formatSwitch) }
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
