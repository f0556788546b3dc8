import CaptureDevices
import CaptureModel

/// Stills that are larger than the stream's frames: the camera leaves its stream for them ahead of T, and comes back.
///
/// One at a time, since such a capture has its camera alone. The table is in `docs/design/photo.md`.
extension CaptureSession {
    /// Carries out the format switches of the captures that are armed, each at its time, until the task is cancelled.
    func serveFormatSwitches() async {
        while !Task.isCancelled {
            guard let capture = pending.values.first(where: \.awaitsFormatSwitch) else {
                await switchAlarm.wait(until: nil)
                continue
            }
            // Without an estimate of rig time it never comes to its time; that is told at once.
            if let start = start(of: capture), start > clock.now() {
                await switchAlarm.wait(until: start)
            } else {
                await carryOut(capture)
            }
        }
    }

    /// What came of a capture's format switch, once its frames are there or given up.
    func formatSwitchFrames(of key: CaptureKey) async throws(CaptureProblem) -> [RingFrame] {
        while !Task.isCancelled, let formatSwitch = pending[key]?.formatSwitch {
            if let outcome = formatSwitch.outcome { return try outcome.get() }
            await formatSwitch.news.wait(until: nil)
        }
        throw shuttingDown
    }

    /// How long the stream was away for a capture, once it is back or does not come back at once.
    func gap(of key: CaptureKey) async -> StreamGap? {
        while !Task.isCancelled, let formatSwitch = pending[key]?.formatSwitch, !formatSwitch.isOver {
            await formatSwitch.news.wait(until: nil)
        }
        return pending[key]?.formatSwitch?.gap
    }

    /// Ends what waits for format switches, when nobody carries them out any more.
    func giveUpFormatSwitches() {
        for key in pending.keys where pending[key]?.formatSwitch != nil {
            if pending[key]?.formatSwitch?.outcome == nil { pending[key]?.formatSwitch?.outcome = .failure(shuttingDown) }
            pending[key]?.formatSwitch?.isOver = true
            pending[key]?.formatSwitch?.news.ring()
        }
    }

    private func start(of capture: PendingCapture) -> LocalTime? {
        guard let formatSwitch = capture.formatSwitch, rigClock.clockID == capture.order.rigClock else { return nil }
        return rigClock.localTime(at: capture.order.time).map { $0 - formatSwitch.lead }
    }

    private func carryOut(_ capture: PendingCapture) async {
        guard let formatSwitch = capture.formatSwitch else { return }
        let key = capture.order.key
        let outcome: Result<[RingFrame], CaptureProblem>
        do throws(CaptureProblem) {
            outcome = .success(try await frames(of: capture, formatSwitch))
        } catch {
            outcome = .failure(error)
        }
        pending[key]?.formatSwitch?.outcome = outcome
        formatSwitch.news.ring()
        await handle(.comeBack)
        while !Task.isCancelled, machine.formatSwitch != nil { await switchAlarm.wait(until: nil) }
        // A stream that has not come back is still away.
        if let gap = switchRecord?.gap { pending[key]?.formatSwitch?.gap = gap }
        pending[key]?.formatSwitch?.isOver = true
        formatSwitch.news.ring()
    }

    private func frames(of capture: PendingCapture, _ formatSwitch: PhotoFormatSwitch) async throws(CaptureProblem) -> [RingFrame] {
        let order = capture.order
        guard start(of: capture) != nil else {
            throw CaptureProblem(.unsynchronized, "\(device.id): the node has lost the rig time line of T")
        }
        guard isRunning else { throw brokenOff(order) }
        switchRecord = FormatSwitchRecord(key: order.key, request: formatSwitch.choice.request)
        await handle(.leave("the camera is in \(formatSwitch.choice.format) for a still; its stream comes back by itself"))
        let first = try await firstFrame(of: order, formatSwitch)
        guard let stream else { throw lost() }
        guard (stream.format.width, stream.format.height) == (capture.resolved.width, capture.resolved.height) else {
            throw CaptureProblem(
                .unsupportedSettings,
                "\(device.id) offers \(formatSwitch.choice.format) and delivers \(stream.format) instead")
        }
        let settled = first.midExposure + PhotoFormatSwitch.settling(interval.value)
        let isSettled = { (frame: RingFrame) in frame.midExposure - (frame.exposure ?? .zero) / 2 >= settled }
        guard let plan = capture.plan else { return [try await choose(order, accepting: isSettled)] }
        return try await expose(order, plan, accepting: isSettled)
    }

    /// The first good frame in the still's format, which may be too late for T and is not waited for beyond.
    private func firstFrame(of order: CaptureOrder, _ formatSwitch: PhotoFormatSwitch) async throws(CaptureProblem) -> RingFrame {
        while !Task.isCancelled {
            try checkUnderWay(order)
            if machine.formatSwitch == .away, let first = ring.oldest { return first }
            guard let time = rigClock.localTime(at: order.time),
                clock.now() < time + formatSwitch.choice.format.frameInterval * 2
            else {
                throw CaptureProblem(
                    .noFrameNearTime, "\(device.id) delivered no good frame in \(formatSwitch.choice.format) around T")
            }
            await switchAlarm.wait(until: time + formatSwitch.choice.format.frameInterval * 2)
        }
        throw shuttingDown
    }

    /// Whether a capture still has frames to wait for: it was not given up, and its camera is in the format it is taken in.
    func checkUnderWay(_ order: CaptureOrder) throws(CaptureProblem) {
        guard let capture = pending[order.key] else {
            let cancelled = CaptureProblem(.cancelled, "\(device.id): the capture was given up")
            throw lostCaptures[order.key] ?? cancelled
        }
        guard capture.formatSwitch == nil || machine.formatSwitch == .leaving || machine.formatSwitch == .away else { throw lost() }
    }

    private func lost() -> CaptureProblem {
        CaptureProblem(
            .deviceLost,
            "\(device.id) could not take a still larger than its stream's frames: \(switchRecord?.trouble ?? stateDescription)"
        )
    }

    /// Notes what a step of the session means for the format switch under way, and wakes who waits for it.
    func follow(_ event: SessionMachine.Event, from before: SessionMachine.FormatSwitch?) {
        switch event {
        case .trouble(let trouble), .openFailed(let trouble):
            if before == .away { switchRecord?.trouble = trouble.description }
        default: break
        }
        // Nobody waits for the stream of a session that was stopped.
        if machine.state == .stopped { switchRecord?.gap = nil }
        if machine.formatSwitch != before { wakeFormatSwitch() }
    }

    /// Wakes whoever waits for a step of a format switch.
    func wakeFormatSwitch() {
        switchAlarm.ring()
        for capture in pending.values where capture.formatSwitch != nil { capture.alarm?.ring() }
    }
}
