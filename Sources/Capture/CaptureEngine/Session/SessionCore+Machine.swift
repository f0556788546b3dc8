import CameraKit
import CaptureModel
import FaultPoints
import PosixSupport

/// Carrying out what the state machine decides, and telling it.
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

    /// The condition as an event, where it is another one than was last told.
    func changes() -> [SessionEvent] {
        let condition = condition
        guard told != (condition.state, condition.reason) else { return [] }
        told = (condition.state, condition.reason)
        return [.conditionChanged(device.id, condition)]
    }

    func tell(_ news: [SessionEvent]) async {
        await events.tell(news)
        if machine.isSettled { wakeWaiters() }
    }

    /// Waits while there is nothing to open or to close, and has a wait of the machine end.
    func idle() async {
        await SessionFault.idle.reached()
        await wake.wait(until: (outputs.compactMap(\.nextInstant) + [retryAt].compactMap(\.self)).min())
        guard let retryAt, retryAt <= clock.now() else { return }
        self.retryAt = nil
        await handle(.retryDue)
    }

    // MARK: What is asked for

    func switchFormat(to request: FormatRequest, because why: String) async {
        photoRequest = request
        await handle(.leave(why))
    }

    func returnToStream() async { await handle(.comeBack) }

    /// Ends a demand, once captures that are under way have their outcome.
    func release(_ demand: SessionDemand) async {
        lingering.insert(demand)
        await captureEnded()
    }

    func captureEnded() async {
        guard outputs.allSatisfy(\.capturesUnderWay.isEmpty) else { return }
        while let demand = lingering.popFirst() { await handle(.release(demand)) }
    }

    /// Why the session does not run, once an attempt has come to its end; nil where it runs.
    func outcome() async -> CaptureProblem? {
        await settle()
        return isRunning ? nil : CaptureProblem(.notRunning, "\(device.id) is not streaming: \(stateDescription)")
    }

    // MARK: Standing still

    /// Machine or process stood still. After a sleep of the machine, instants of before have no rig time any more.
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
    }

    // MARK: Another setup

    /// Closes the hardware, exchanges the setup, and opens it again where it is wanted.
    func reopen(with next: SessionSetup) async {
        await handle(.suspend)
        await settle()
        let isOtherDevice = sharedSetup.withLock { setup in
            defer { setup = next }
            return setup.input.device.id != next.input.device.id
        }
        ring.removeAll()
        if isOtherDevice {
            (counters, knowledge) = (FrameCounters(), DeviceKnowledge())
            for output in outputs { output.deviceExchanged() }
        }
        await handle(.unsuspend)
        await settle()
    }
}
