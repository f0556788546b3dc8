public import CaptureModel
import FaultPoints

/// Starting, stopping, and what happens in between.
extension CaptureSession {
    /// Serves the session until the calling task is cancelled; then closes the camera and gives up what is pending.
    ///
    /// With the policy `standby: always` the camera is opened at once, else when something needs it. Call it once.
    public func run() async {
        (isServing, hasBegun) = (true, true)
        wakeWaiters()
        if policy.standby == .always { await handle(.start(.standby)) } else { await tell(changes()) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.serveHardware() }
            group.addTask { await self.serveFormatSwitches() }
            group.addTask { await self.serveClips() }
            group.addTask { await self.serveRecordings() }
        }
        await handle(.stop)
        // An order to open that came last is not carried out any more, so there is nothing to close.
        if machine.hardware == .closing { await handle(.closed) }
        isServing = false
        giveUpFormatSwitches()
        for key in pending.keys.sorted() { await cancel(key) }
        await giveUpClips()
        wakeWaiters()
    }

    /// Opens the camera whenever the machine asks for it, until the task is cancelled.
    private func serveHardware() async {
        while !Task.isCancelled {
            switch machine.hardware {
            case .opening: await streamOnce()
            // The order to open was taken back before it was carried out.
            case .closing: await handle(.closed)
            case .closed, .open:
                await SessionFault.idle.reached()
                await wake.wait(until: nextInstant)
                if let retryAt, retryAt <= clock.now() {
                    self.retryAt = nil
                    await handle(.retryDue)
                }
            }
            // Where no frame comes, nothing else lets go of what was armed before.
            await expirePending()
        }
    }

    /// Serves the session for as long as `body` takes; when this returns, the camera is closed.
    public nonisolated func serving<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            await served()
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Returns when ``run()`` executes, or has; at once when the calling task is cancelled.
    public func served() async {
        while !hasBegun, !Task.isCancelled {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiters.append($0) }
            } onCancel: {
                // Unstructured, because a handler cannot wait; whoever waits looks again.
                Task { await self.wakeWaiters() }
            }
        }
    }

    /// Lets the session run; returns when its hardware runs or has failed.
    ///
    /// Ends what a ``stopRunning()`` holds, and tries a session again that has failed. ``run()`` must be executing.
    /// - Returns: Why it does not run, where it does not; it may still come to run by itself.
    @discardableResult
    public func startRunning() async -> CaptureProblem? {
        await need(.command)
    }

    /// Lets the session run for as long as something needs it; returns when its hardware runs or has failed. What
    /// somebody has stopped stays stopped, unless the demand is a command.
    @discardableResult
    public func need(_ demand: SessionDemand) async -> CaptureProblem? {
        guard isServing else {
            return CaptureProblem(.notRunning, "\(device.id): nobody serves the session; let its run() execute")
        }
        lingering.remove(demand)
        await handle(.start(demand))
        return await outcome()
    }

    /// Ends what ``need(_:)`` began; the camera is closed where nothing else needs it, and captures that are under way have their
    /// outcome. Harmless where nothing did.
    public func release(_ demand: SessionDemand) async {
        lingering.insert(demand)
        await releaseLingering()
    }

    /// Called whenever a capture has its outcome.
    func releaseLingering() async {
        guard pending.isEmpty, clips.isEmpty, recordings.isEmpty else { return }
        while let demand = lingering.popFirst() { await handle(.release(demand)) }
    }

    /// Stops the session; when this returns, the device is free for others. It stays stopped until
    /// ``startRunning()``. Captures that have their frames are still made.
    public func stopRunning() async {
        await handle(.stop)
        await settle()
    }

    /// Has a session that has failed, or waits for its next attempt, tried at once; returns when it runs or has failed.
    /// - Returns: Why it does not run, where it does not.
    @discardableResult
    public func resume() async -> CaptureProblem? {
        await handle(.resume)
        return await outcome()
    }

    /// Tells the session that the system has a device that may be its own; it is then tried at once.
    public func deviceAppeared() async {
        await handle(.deviceAppeared)
    }

    /// Whether something needs the session, or its hardware is not closed.
    public var isInUse: Bool { machine.isWanted || machine.hardware != .closed }

    /// Returns when no attempt is under way and what came of it has been told.
    func settle() async {
        while isServing, !machine.isSettled || isTelling {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    private func outcome() async -> CaptureProblem? {
        await settle()
        return isRunning ? nil : CaptureProblem(.notRunning, "\(device.id) is not streaming: \(stateDescription)")
    }

    func handle(_ event: SessionMachine.Event) async {
        let formatSwitch = machine.formatSwitch
        let actions = machine.handle(event)
        follow(event, from: formatSwitch)
        var notices: [SessionEvent] = []
        for action in actions {
            switch action {
            case .open:
                closing = Alarm(clock: clock)
                wake.ring()
            case .close: closing.ring()
            case .retry(let delay):
                retryAt = clock.now() + delay
                wake.ring()
            case .cancelRetry: retryAt = nil
            case .notify(let notice): notices.append(.session(device.id, notice))
            }
        }
        await tell(changes() + notices)
        if machine.isSettled { wakeWaiters() }
    }

    private func wakeWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    /// The condition as an event, where it is another one than was last told.
    private func changes() -> [SessionEvent] {
        let condition = condition
        guard told != (condition.state, condition.reason) else { return [] }
        told = (condition.state, condition.reason)
        return [.conditionChanged(device.id, condition)]
    }

    /// Tells events in the order in which they came, one at a time; returns when they have been told.
    func tell(_ events: [SessionEvent]) async {
        guard !events.isEmpty else { return }
        outbox += events
        if isTelling { return await withCheckedContinuation { tellers.append($0) } }
        isTelling = true
        while !outbox.isEmpty { await observer(outbox.removeFirst()) }
        isTelling = false
        let waiting = tellers
        tellers = []
        for teller in waiting { teller.resume() }
        if machine.isSettled { wakeWaiters() }
    }

    /// When ``run()`` has something to do next while no stream runs.
    private var nextInstant: LocalTime? {
        let expiries = pending.values.filter { !$0.isFired }.compactMap { capture in
            // Beyond the instant, not at it.
            rigClock.localTime(at: capture.order.pinnedUntil).map { $0 + .milliseconds(1) }
        }
        return (expiries + [retryAt].compactMap(\.self)).min()
    }
}
