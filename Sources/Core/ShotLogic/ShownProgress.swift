import CaptureModel

/// The progress of a shot as it was last shown to the clients that wait for it.
struct ShownProgress: Sendable {
    private let shot: ShotID
    /// Parallel to the captures.
    private var steps: [ShotProgressReport.Step]

    init(of shot: Shot) {
        self.shot = shot.id
        steps = shot.captures.map { ShotProgressReport.Step(phase: $0.phase) }
    }

    func report(_ stage: ShotStage) -> ShotProgressReport {
        ShotProgressReport(shot: shot, stage: stage, steps: steps, changed: [])
    }

    /// Shows the changes after the last progress.
    /// - Parameter durable: The newest durable manifest.
    mutating func show(_ shot: Shot, durable: Shot?, _ stage: ShotStage) -> [ShotAction] {
        var changed: [ShotProgressReport.Change] = []
        for (index, capture) in shot.captures.enumerated() {
            let step = Self.visibleStep(of: capture, durable: durable?.captures[index])
            guard step != steps[index] else { continue }
            steps[index] = step
            changed.append(.init(device: capture.device.id, phase: step.phase, problem: capture.problem))
        }
        guard !changed.isEmpty else { return [] }
        return [.progress(ShotProgressReport(shot: shot.id, stage: stage, steps: steps, changed: changed))]
    }

    /// Returns the step to show. A capture is shown as done or partial, and its photo as stored, only when a durable
    /// manifest says so.
    private static func visibleStep(of capture: Capture, durable: Capture?) -> ShotProgressReport.Step {
        let phase = capture.phase
        let isDurable = phase != .done && phase != .partial || durable?.phase == phase
        let step = ShotProgressReport.Step(phase: isDurable ? phase : .captured)
        guard step.phase == .captured, let durable, durable.phase == .captured else { return step }
        return ShotProgressReport.Step(phase: .captured, awaitsCompanions: durable.awaitsCompanions)
    }
}

extension Capture {
    /// Whether the required files are stored, and a companion file is outstanding.
    fileprivate var awaitsCompanions: Bool {
        requiredFiles.allSatisfy(\.isStored) && files.contains { $0.outcome == .pending }
    }
}
