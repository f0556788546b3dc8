import CameraKit
import CaptureModel
import FaultPoints
import PosixSupport

/// Carrying out the state machine's decisions, and reporting them.
extension SessionCore {
    func handle(_ event: SessionMachine.Event) async {
        let before = machine.formatSwitch
        let actions = machine.handle(event)
        for output in outputs { output.followed(event, from: before) }
        let notices = actions.compactMap(carryOut)
        await tell(changes() + notices)
    }

    private func carryOut(_ action: SessionMachine.Action) -> SessionEvent? {
        switch action {
        case .open:
            closing = Alarm(clock: clock)
            wake.ring()
        case .close: closing.ring()
        case .retry(let delay):
            retryAt = clock.now() + delay
            wake.ring()
        case .cancelRetry: retryAt = nil
        case .notify(let notice): return .session(device.id, notice)
        }
        return nil
    }

    /// Returns the condition as an event, if it differs from the last reported one.
    func changes() -> [SessionEvent] {
        let condition = condition
        guard told != (condition.state, condition.reason) else { return [] }
        told = (condition.state, condition.reason)
        return [.conditionChanged(device.id, condition)]
    }

    func tell(_ news: [SessionEvent]) async {
        await events.tell(news)
        if machine.isIdle { wakeWaiters() }
    }

    /// Waits while there is nothing to open or to close, and ends a wait of the machine.
    func idle() async {
        await SessionFault.idle.reached()
        await wake.wait(until: (outputs.compactMap(\.nextInstant) + [retryAt].compactMap(\.self)).min())
        guard let retryAt, retryAt <= clock.now() else { return }
        self.retryAt = nil
        await handle(.retryDue)
    }

    // MARK: Requests

    func switchFormat(to request: FormatRequest, because why: String) async {
        photoRequest = request
        await handle(.leave(why))
    }

    func returnToStream() async { await handle(.returnToStream) }

    /// Ends a demand, after captures in progress have their outcome.
    func release(_ demand: SessionDemand) async {
        lingering.insert(demand)
        await captureEnded()
    }

    func captureEnded() async {
        guard outputs.allSatisfy(\.capturesUnderWay.isEmpty) else { return }
        while let demand = lingering.popFirst() { await handle(.release(demand)) }
    }

    /// Returns why the session does not run, after an attempt has ended; nil if it runs.
    func outcome() async -> RigProblem? {
        await waitUntilIdle()
        return isRunning ? nil : RigProblem(.notRunning, "\(device.id) is not streaming: \(stateDescription)")
    }

    // MARK: Suspension

    /// Handles a suspension of the machine or the process. After a sleep of the machine, earlier instants have no rig
    /// time.
    func wasSuspended(_ suspension: Suspension) async {
        let now = clock.now()
        let interruption = Interruption(
            reason: "\(suspension)", isOfStream: false, began: now - suspension.duration, ended: now)
        for output in outputs { output.interrupted(by: interruption) }
        if suspension.kind == .machineSlept {
            ring.removeAll()
            for output in outputs { await output.framesLost(because: "the machine was asleep") }
        }
        await handle(.nodeSuspended("\(suspension)"))
        // No frame would end the interruption.
        if !hasFrames { await handle(.firstFrame) }
    }

    // MARK: Another setup

    /// Closes the hardware, exchanges the setup, and opens it again if it is needed.
    func reopen(with next: SessionSetup) async {
        await handle(.suspend)
        await waitUntilIdle()
        let isOtherDevice = sharedSetup.withLock { setup in
            defer { setup = next }
            return setup.input.device.id != next.input.device.id
        }
        ring.removeAll()
        if isOtherDevice {
            (counters, knowledge) = (FrameCounters(), KnownDevice())
            for output in outputs { output.deviceExchanged() }
        }
        await handle(.unsuspend)
        await waitUntilIdle()
    }
}
