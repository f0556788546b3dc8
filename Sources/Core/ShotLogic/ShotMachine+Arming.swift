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
            // Its pins would use memory of the node's ring until they expire.
            sendCancel(to: [index])
        case .armed, .captured, .done, .partial, .missed, .failed:
            break
        }
    }

    mutating func refused(_ device: DeviceID, _ problem: RigProblem) {
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

    /// Fires when no answer is outstanding. With `requireAll`, waits until the arm deadline for an armed camera whose
    /// node is not connected.
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

    /// Ends the shot for all cameras at the first miss before the fire, with `requireAll`.
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

/// Reading and changing captures. All changes of the shot's captures pass through `change`.
extension ShotMachine {
    mutating func change(_ index: Int, _ body: (inout Capture) -> Void) {
        let before = shot.captures[index]
        body(&shot.captures[index])
        if shot.captures[index] != before { isDirty = true }
    }

    func key(_ capture: Capture, _ kind: AssetKind) -> FileKey {
        FileKey(capture: CaptureKey(shot: shot.id, device: capture.device.id), kind: kind)
    }

    /// Expects companion files that only some cameras have while the camera announces them. The last announcement
    /// counts, because another run of the agent may arm the camera again.
    mutating func expect(_ resolved: ResolvedPhotoSettings, _ index: Int) {
        let settings = shot.request.settings
        guard settings.livePhoto == .whereEnabled else { return }
        let announced = resolved.livePhoto?.kinds ?? []
        for kind in settings.clipKinds {
            let isExpected = shot.captures[index].files.contains { $0.kind == kind }
            if announced.contains(kind), !isExpected {
                change(index) { $0.files.append(CapturedFile(kind: kind)) }
            } else if !announced.contains(kind), isExpected {
                change(index) { $0.files.removeAll { $0.kind == kind && $0.digest == nil } }
            }
        }
    }

    /// Returns whether neither a frame nor an outcome is known.
    func isAwaited(_ index: Int) -> Bool {
        shot.captures[index].phase == .preparing || shot.captures[index].phase == .armed
    }

    /// Returns whether the capture is missed only because no report arrived.
    func isProvisional(_ index: Int) -> Bool {
        shot.captures[index].phase == .missed && shot.captures[index].problem?.code == .nodeUnreachable
    }

    func isCancelled(_ index: Int) -> Bool {
        shot.captures[index].phase == .missed && shot.captures[index].problem?.code == .cancelled
    }

    mutating func miss(_ index: Int, _ problem: RigProblem) {
        end(index, as: .missed, files: .missed, problem)
    }

    /// Fails a capture: the frame existed, but none of its files does.
    mutating func fail(_ index: Int, _ problem: RigProblem) {
        end(index, as: .failed, files: .failed, problem)
    }

    private mutating func end(
        _ index: Int, as phase: Capture.Phase, files outcome: CapturedFile.Outcome, _ problem: RigProblem
    ) {
        change(index) { capture in
            capture.phase = phase
            capture.problem = problem
            for file in capture.files.indices {
                capture.files[file].outcome = outcome
                capture.files[file].problem = outcome == .failed ? problem : nil
            }
        }
    }

    /// Returns the cameras of connected nodes in `phase`, by node in order of name.
    func reachable(in phase: Capture.Phase) -> [(node: NodeName, devices: [DeviceID])] {
        byNode(shot.captures.indices.filter { shot.captures[$0].phase == phase })
    }

    func byNode(_ indices: [Int]) -> [(node: NodeName, devices: [DeviceID])] {
        let devices = indices.map { shot.captures[$0].device.id }.filter { connected.contains($0.node) }
        return Dictionary(grouping: devices, by: \.node).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension RigProblem {
    /// A node's problem as it is recorded. Only a shot is cancelled permanently: another agent with the node's name may
    /// have made a capture that this agent gave up when it ended.
    var ofNode: RigProblem { code == .cancelled ? RigProblem(.nodeUnreachable, message) : self }
}
