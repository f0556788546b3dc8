import CameraKit
import CaptureModel

/// Stills that are larger than the stream's frames: the camera leaves its stream for them ahead of T, and comes back.
///
/// One at a time, since such a capture has its camera alone. The table is in `docs/design/photo.md`.
extension CaptureSession {
    /// Carries out the detours of the captures that are armed, each at its time, until the task is cancelled.
    func serveDetours() async {
        while !Task.isCancelled {
            guard let capture = pending.values.first(where: \.awaitsDetour) else {
                await detourAlarm.wait(until: nil)
                continue
            }
            // Without an estimate of rig time it never comes to its time; that is told at once.
            if let start = start(of: capture), start > clock.now() {
                await detourAlarm.wait(until: start)
            } else {
                await carryOut(capture)
            }
        }
    }

    /// What came of a capture's detour, once its frames are there or given up.
    func detourFrames(of key: CaptureKey) async throws(CaptureProblem) -> [RingFrame] {
        while !Task.isCancelled, let detour = pending[key]?.detour {
            if let outcome = detour.outcome { return try outcome.get() }
            await detour.news.wait(until: nil)
        }
        throw shuttingDown
    }

    /// How long the stream was away for a capture, once it is back or does not come back at once.
    func gap(of key: CaptureKey) async -> StreamGap? {
        while !Task.isCancelled, let detour = pending[key]?.detour, !detour.isOver {
            await detour.news.wait(until: nil)
        }
        return pending[key]?.detour?.gap
    }

    /// Ends what waits for detours, when nobody carries them out any more.
    func giveUpDetours() {
        for key in pending.keys where pending[key]?.detour != nil {
            if pending[key]?.detour?.outcome == nil { pending[key]?.detour?.outcome = .failure(shuttingDown) }
            pending[key]?.detour?.isOver = true
            pending[key]?.detour?.news.ring()
        }
    }

    private func start(of capture: PendingCapture) -> LocalTime? {
        guard let detour = capture.detour, rigClock.clockID == capture.order.rigClock else { return nil }
        return rigClock.localTime(at: capture.order.time).map { $0 - detour.lead }
    }

    private func carryOut(_ capture: PendingCapture) async {
        guard let detour = capture.detour else { return }
        let key = capture.order.key
        let outcome: Result<[RingFrame], CaptureProblem>
        do throws(CaptureProblem) {
            outcome = .success(try await frames(of: capture, detour))
        } catch {
            outcome = .failure(error)
        }
        pending[key]?.detour?.outcome = outcome
        detour.news.ring()
        await handle(.comeBack)
        while !Task.isCancelled, machine.detour != nil { await detourAlarm.wait(until: nil) }
        // A stream that has not come back is still away.
        if let gap = detourRecord?.gap { pending[key]?.detour?.gap = gap }
        pending[key]?.detour?.isOver = true
        detour.news.ring()
    }

    private func frames(of capture: PendingCapture, _ detour: PhotoDetour) async throws(CaptureProblem) -> [RingFrame] {
        let order = capture.order
        guard start(of: capture) != nil else {
            throw CaptureProblem(.unsynchronized, "\(device.id): the node has lost the rig time line of T")
        }
        guard isRunning else { throw brokenOff(order) }
        detourRecord = DetourRecord(key: order.key, request: detour.choice.request)
        await handle(.leave("the camera is in \(detour.choice.format) for a still; its stream comes back by itself"))
        let first = try await firstFrame(of: order, detour)
        guard let stream else { throw lost() }
        guard (stream.format.width, stream.format.height) == (capture.resolved.width, capture.resolved.height) else {
            throw CaptureProblem(
                .unsupportedSettings,
                "\(device.id) offers \(detour.choice.format) and delivers \(stream.format) instead")
        }
        let settled = first.midExposure + PhotoDetour.settling(interval.value)
        let isSettled = { (frame: RingFrame) in frame.midExposure - (frame.exposure ?? .zero) / 2 >= settled }
        guard let plan = capture.plan else { return [try await choose(order, accepting: isSettled)] }
        return try await expose(order, plan, accepting: isSettled)
    }

    /// The first good frame in the still's format, which may be too late for T and is not waited for beyond.
    private func firstFrame(of order: CaptureOrder, _ detour: PhotoDetour) async throws(CaptureProblem) -> RingFrame {
        while !Task.isCancelled {
            try checkUnderWay(order)
            if machine.detour == .away, let first = ring.oldest { return first }
            guard let time = rigClock.localTime(at: order.time),
                clock.now() < time + detour.choice.format.frameInterval * 2
            else {
                throw CaptureProblem(
                    .noFrameNearTime, "\(device.id) delivered no good frame in \(detour.choice.format) around T")
            }
            await detourAlarm.wait(until: time + detour.choice.format.frameInterval * 2)
        }
        throw shuttingDown
    }

    /// Whether a capture still has frames to wait for: it was not given up, and its camera is in the format it is taken in.
    func checkUnderWay(_ order: CaptureOrder) throws(CaptureProblem) {
        guard let capture = pending[order.key] else {
            let cancelled = CaptureProblem(.cancelled, "\(device.id): the capture was given up")
            throw lostCaptures[order.key] ?? cancelled
        }
        guard capture.detour == nil || machine.detour == .leaving || machine.detour == .away else { throw lost() }
    }

    private func lost() -> CaptureProblem {
        CaptureProblem(
            .deviceLost,
            "\(device.id) could not take a still larger than its stream's frames: \(detourRecord?.trouble ?? stateDescription)"
        )
    }

    /// Notes what a step of the session means for the detour under way, and wakes who waits for it.
    func follow(_ event: SessionMachine.Event, from before: SessionMachine.Detour?) {
        switch event {
        case .trouble(let trouble), .openFailed(let trouble):
            if before == .away { detourRecord?.trouble = trouble.description }
        default: break
        }
        // Nobody waits for the stream of a session that was stopped.
        if machine.state == .stopped { detourRecord?.gap = nil }
        if machine.detour != before { wakeDetour() }
    }

    /// Wakes whoever waits for a step of a detour.
    func wakeDetour() {
        detourAlarm.ring()
        for capture in pending.values where capture.detour != nil { capture.alarm?.ring() }
    }
}
