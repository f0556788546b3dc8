import CaptureModel

/// What a waiting client sees.
extension ShotMachine {
    /// Where the shot stands, as it was last shown.
    public var progress: ShotProgress {
        .init(shot: shot.id, stage: stage, phases: Dictionary(shown.map { ($0, 1) }, uniquingKeysWith: +), changed: [])
    }

    mutating func showProgress() {
        var changed: [ShotProgress.Change] = []
        for index in shot.captures.indices {
            let phase = visiblePhase(index)
            guard phase != shown[index] else { continue }
            shown[index] = phase
            let capture = shot.captures[index]
            changed.append(.init(device: capture.device.id, phase: phase, problem: capture.problem))
        }
        guard !changed.isEmpty else { return }
        let phases = Dictionary(shown.map { ($0, 1) }, uniquingKeysWith: +)
        actions.append(.progress(.init(shot: shot.id, stage: stage, phases: phases, changed: changed)))
    }

    /// A capture is shown as done, or partial, only once a durable manifest says so.
    private func visiblePhase(_ index: Int) -> Capture.Phase {
        let phase = shot.captures[index].phase
        return (phase == .done || phase == .partial) && durableShot?.captures[index].phase != phase ? .captured : phase
    }
}
