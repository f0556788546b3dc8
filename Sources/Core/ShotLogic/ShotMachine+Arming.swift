import CaptureModel

/// Prepare, fire and cancel.
extension ShotMachine {
    mutating func armed(_ device: DeviceID, _ resolved: ResolvedPhotoSettings, at now: RigTime) {
        guard stage != .recording, let index = indices[device] else { return }
        switch shot.captures[index].phase {
        case .preparing:
            change(index) { capture in
                capture.phase = .armed
                capture.resolved = resolved
            }
            expect(resolved, index)
            restarted.remove(device)
            if stage == .resolving { sendFire(to: byNode([index]), at: now) }
        case .missed where shot.captures[index].resolved == nil || isCancelled(index):
            // Its pins would hold memory of the node's ring until they expire.
            sendCancel(to: [index])
        case .armed, .captured, .done, .partial, .missed, .failed:
            break
        }
    }

    mutating func refused(_ device: DeviceID, _ problem: CaptureProblem) {
        guard stage != .recording, let index = indices[device], isAwaited(index) || isProvisional(index) else { return }
        guard restarted.contains(device) else { return miss(index, problem.ofNode) }
        miss(
            index,
            .init(
                .agentRestarted,
                "The agent of node '\(device.node)' restarted after '\(device)' had been armed, and says: \(problem.message)"
            ))
    }

    mutating func sendPrepare(to groups: [(node: NodeName, devices: [DeviceID])], at now: RigTime) {
        guard !groups.isEmpty else { return }
        actions += groups.map { .prepare($0.node, $0.devices) }
        scheduleRepetition(at: now)
    }

    mutating func sendFire(to groups: [(node: NodeName, devices: [DeviceID])], at now: RigTime) {
        guard !groups.isEmpty else { return }
        actions += groups.map { .fire($0.node, $0.devices) }
        scheduleRepetition(at: now)
    }

    mutating func sendCancel(to indices: [Int]) {
        actions += byNode(indices).map { .cancel($0.node, $0.devices) }
    }

    private mutating func scheduleRepetition(at now: RigTime) {
        if let repetition, repetition > now { return }
        repetition = now + schedule.repeatInterval
    }

    /// Fires as soon as no answer is outstanding. With `requireAll`, an armed camera whose node is away is waited for
    /// until the arm deadline.
    mutating func fireIfAllAnswered(at now: RigTime) {
        guard stage == .arming, !shot.captures.contains(where: { $0.phase == .preparing }) else { return }
        let isAllReachable = shot.captures.allSatisfy { $0.phase != .armed || connected.contains($0.device.id.node) }
        guard isAllReachable || !shot.request.requireAll else { return }
        startResolving(at: now)
    }

    mutating func startResolving(at now: RigTime) {
        stage = .resolving
        sendFire(to: reachable(in: .armed), at: now)
    }

    /// With `requireAll`, the first miss before the fire ends the shot for all.
    mutating func cancelUnlessAllArm() {
        guard shot.request.requireAll, stage != .resolving,
            let culprit = shot.captures.first(where: { $0.phase == .missed || $0.phase == .failed })
        else { return }
        let reason = culprit.problem.map { ": \($0.message)" } ?? "."
        cancelAll(because: "all cameras were required and '\(culprit.device.id)' was not armed\(reason)")
    }

    mutating func cancelAll(because reason: String) {
        let awaited = shot.captures.indices.filter(isAwaited)
        if stage != .recording { sendCancel(to: awaited) }
        for index in awaited {
            miss(
                index, .init(.cancelled, "The shot took no picture with '\(shot.captures[index].device.id)': \(reason)")
            )
        }
    }
}
