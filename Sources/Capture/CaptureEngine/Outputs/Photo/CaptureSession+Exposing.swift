import CameraKit
import CaptureModel
import Spool

/// Captures for which the camera is set: lit, or exposed one after the other with different settings.
extension CaptureSession {
    /// The frames of a capture, one for each picture; the controls are as they were when this returns or throws.
    func expose(_ capture: PendingCapture) async throws(CaptureProblem) -> [RingFrame] {
        if capture.formatSwitch != nil { return try await formatSwitchFrames(of: capture.order.key) }
        guard let plan = capture.plan else { return [try await choose(capture.order)] }
        return try await expose(capture.order, plan)
    }

    /// - Parameter isMeant: Which frames count at all, whatever they are exposed with.
    func expose(
        _ order: CaptureOrder, _ plan: CapturePlan, accepting isMeant: (RingFrame) -> Bool = { _ in true }
    ) async throws(CaptureProblem) -> [RingFrame] {
        do throws(CaptureProblem) {
            let frames = try await exposeSteps(order, plan, accepting: isMeant)
            await undoSettings()
            return frames
        } catch {
            await undoSettings()
            throw error
        }
    }

    private func exposeSteps(
        _ order: CaptureOrder, _ plan: CapturePlan, accepting isMeant: (RingFrame) -> Bool
    ) async throws(CaptureProblem) -> [RingFrame] {
        try await wait(for: CapturePlan.lead(interval: interval.value), before: order)
        var frames: [RingFrame] = []
        for values in plan.steps {
            let setting = try await apply(values, of: plan)
            frames.append(
                frames.isEmpty
                    ? try await choose(order) { setting.covers($0) && isMeant($0) }
                    : try await next(order, setting, number: frames.count + 1))
        }
        return frames
    }

    private func wait(for lead: Duration, before order: CaptureOrder) async throws(CaptureProblem) {
        guard let time = rigClock.localTime(at: order.time) else { return }
        do {
            try await clock.sleep(until: time - lead)
        } catch {
            throw shuttingDown
        }
    }

    private func apply(
        _ values: [String: Int64], of plan: CapturePlan
    ) async throws(CaptureProblem) -> AppliedSetting {
        // Closing undoes what was set before it; what is set after that would stay.
        guard let stream, machine.hardware == .open else {
            throw CaptureProblem(.deviceLost, "\(device.id) broke off after it was armed: \(stateDescription)")
        }
        settingsToUndo = plan.undo
        do throws(CameraError) {
            let read = try await stream.setControls(values)
            let exposure = values[CaptureControls.exposure].map { read[CaptureControls.exposure] ?? $0 }
            return AppliedSetting(
                since: clock.now(), exposure: exposure.map { .nanoseconds($0 &* CaptureControls.exposureUnit) },
                interval: interval.value)
        } catch {
            let code: CaptureProblem.Code = error.code == .unsupportedControl ? .unsupportedSettings : .deviceLost
            throw CaptureProblem(code, "\(device.id) could not be set for the capture: \(error.reason)")
        }
    }

    /// The first frame that has a setting.
    private func next(
        _ order: CaptureOrder, _ setting: AppliedSetting, number: Int
    ) async throws(CaptureProblem) -> RingFrame {
        let alarm = Alarm(clock: clock)
        pending[order.key]?.alarm = alarm
        while !Task.isCancelled {
            try checkUnderWay(order)
            try checkFrames(of: order)
            if let frame = ring.frames(in: setting.since...setting.deadline).first(where: setting.covers) {
                return frame
            }
            guard clock.now() < setting.deadline else {
                throw CaptureProblem(
                    .noFrameNearTime,
                    "\(device.id): no good frame came with the settings of picture \(number) of the bracket within \(setting.deadline - setting.since)"
                )
            }
            await alarm.wait(until: setting.deadline)
        }
        throw shuttingDown
    }

    /// Puts controls back that a capture has set; where the device refuses, again with the frames that come.
    func undoSettings() async {
        guard !settingsToUndo.isEmpty, let stream else { return }
        undoAttempt = clock.now()
        do throws(CameraError) {
            _ = try await stream.setControls(settingsToUndo)
            settingsToUndo = [:]
            await spool.forgetControls(of: device.id)
        } catch {
            // Tried again by `undoLeftSettings()`, on this stream or the next one.
        }
    }

    /// Puts back what an earlier life of the process has set and did not come to put back; where the device refuses, again
    /// with the frames that come.
    func restoreSettings() async {
        guard pending.isEmpty else { return }
        let device = device.id
        if settingsToUndo.isEmpty, spool.mayKeepControls(of: device) {
            settingsToUndo = await spool.keptControls(of: device) ?? [:]
        }
        await undoSettings()
    }

    /// Once a second, while no capture has use for them.
    func undoLeftSettings() async {
        guard !settingsToUndo.isEmpty, pending.isEmpty, clock.now() - undoAttempt >= .seconds(1) else { return }
        await undoSettings()
    }
}
