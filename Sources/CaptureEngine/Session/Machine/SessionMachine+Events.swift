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
        case .deviceAppeared: appeared()
        case .opened: opened()
        case .openFailed(let trouble): openFailed(trouble)
        case .firstFrame: firstFrame()
        case .goodPeriod: goodPeriod()
        case .trouble(let trouble): hardware == .open ? lose(to: trouble) : []
        case .closed: closed()
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
        case .opening:
            hardware = .closed
            return enter(trouble) + planRetry()
        }
    }

    private mutating func firstFrame() -> [Action] {
        guard hardware == .open, state != .running else { return [] }
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
        hardware = .closing
        return enter(trouble) + [.close]
    }

    private mutating func closed() -> [Action] {
        guard hardware == .closing || hardware == .open else { return [] }
        let wasLost = hardware == .open ? enter(SessionTrouble(.runtime, "the hardware was closed unasked")) : []
        hardware = .closed
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
