import CaptureModel

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

    /// What goes with a still only where the camera has it is expected while the camera announces it: the last word counts,
    /// since a camera may be armed again by another life of its agent.
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

    /// Whether neither a frame nor an outcome is known.
    func isAwaited(_ index: Int) -> Bool {
        shot.captures[index].phase == .preparing || shot.captures[index].phase == .armed
    }

    /// Whether the capture is missed only because nothing was heard.
    func isProvisional(_ index: Int) -> Bool {
        shot.captures[index].phase == .missed && shot.captures[index].problem?.code == .nodeUnreachable
    }

    func isCancelled(_ index: Int) -> Bool {
        shot.captures[index].phase == .missed && shot.captures[index].problem?.code == .cancelled
    }

    mutating func miss(_ index: Int, _ problem: CaptureProblem) {
        end(index, as: .missed, files: .missed, problem)
    }

    /// The frame existed, and no file of it does.
    mutating func fail(_ index: Int, _ problem: CaptureProblem) {
        end(index, as: .failed, files: .failed, problem)
    }

    private mutating func end(
        _ index: Int, as phase: Capture.Phase, files outcome: CapturedFile.Outcome, _ problem: CaptureProblem
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

    /// The cameras of connected nodes in `phase`, by node in order of name.
    func reachable(in phase: Capture.Phase) -> [(node: NodeName, devices: [DeviceID])] {
        byNode(shot.captures.indices.filter { shot.captures[$0].phase == phase })
    }

    func byNode(_ indices: [Int]) -> [(node: NodeName, devices: [DeviceID])] {
        let devices = indices.map { shot.captures[$0].device.id }.filter { connected.contains($0.node) }
        return Dictionary(grouping: devices, by: \.node).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension CaptureProblem {
    /// What a node says of itself, as it is kept. Only a shot is cancelled for good: what an agent has given up since it was told
    /// to end, another agent of the node's name may have made.
    var ofNode: CaptureProblem { code == .cancelled ? CaptureProblem(.nodeUnreachable, message) : self }
}
