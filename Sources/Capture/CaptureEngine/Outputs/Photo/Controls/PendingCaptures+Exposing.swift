import CaptureModel

/// A picture of a capture, with what was known of it when it was chosen: before the camera is set for anything else.
struct ExposedFrame: Sendable {
    var frame: RingFrame
    var timing: FrameTiming
}

/// Captures that set the camera: with light, or with several pictures exposed with different settings.
extension PendingCaptures {
    /// Returns the frames of a capture, one for each picture. The controls are put back when this returns or throws.
    func expose(_ capture: PendingCapture) async throws(RigProblem) -> [ExposedFrame] {
        if capture.formatSwitch != nil { return try await formatSwitchFrames(of: capture.order.key) }
        guard let plan = capture.plan else { return [try await exposedFrame(of: capture.order)] }
        return try await expose(capture.order, plan)
    }

    /// Returns the frame of T.
    func exposedFrame(
        of order: CaptureOrder, accepting isMeant: (RingFrame) -> Bool = { _ in true }
    ) async throws(RigProblem) -> ExposedFrame {
        try exposed(try await choose(order, accepting: isMeant), order)
    }

    private func exposed(_ frame: RingFrame, _ order: CaptureOrder) throws(RigProblem) -> ExposedFrame {
        ExposedFrame(frame: frame, timing: try timing(of: frame, order: order))
    }

    /// - Parameter isMeant: Whether a frame counts, whatever its exposure.
    func expose(
        _ order: CaptureOrder, _ plan: CapturePlan, accepting isMeant: (RingFrame) -> Bool = { _ in true }
    ) async throws(RigProblem) -> [ExposedFrame] {
        do throws(RigProblem) {
            let frames = try await exposeSteps(order, plan, accepting: isMeant)
            await waitForOthers(order)
            await controls.putBack()
            return frames
        } catch {
            await controls.putBack()
            throw error
        }
    }

    private func exposeSteps(
        _ order: CaptureOrder, _ plan: CapturePlan, accepting isMeant: (RingFrame) -> Bool
    ) async throws(RigProblem) -> [ExposedFrame] {
        try await wait(for: CapturePlan.usualLead(interval: session.interval, delay: plan.delay), before: order)
        var frames: [ExposedFrame] = []
        for values in plan.steps {
            let setting = try await controls.apply(values, of: plan)
            let frame =
                frames.isEmpty
                ? try await choose(order) { controls.covers($0, after: CapturePlan.settlingFrames) && isMeant($0) }
                : try await firstFrame(of: order, with: setting, number: frames.count + 1)
            frames.append(try exposed(frame, order))
        }
        return frames
    }

    /// Waits until no camera of the shot exposes with what this one has set, such as its light. A capture that is cancelled while it waits has its
    /// pictures already.
    private func waitForOthers(_ order: CaptureOrder) async {
        guard let until = order.setUntil.map({ min($0, order.pinnedUntil) }),
            let instant = session.rigClock.localTime(at: until)
        else { return }
        // One that is shutting down puts back at once.
        try? await session.clock.sleep(until: instant)
    }

    private func wait(for lead: Duration, before order: CaptureOrder) async throws(RigProblem) {
        guard let time = session.rigClock.localTime(at: order.time) else { return }
        do {
            try await session.clock.sleep(until: time - lead)
        } catch {
            throw session.shuttingDown
        }
    }
}
