public import CaptureModel

/// How far a shot has come, and what changed since the last progress.
public struct ShotProgress: Hashable, Sendable {
    public var shot: ShotID
    public var stage: ShotStage
    /// Captures by phase; phases nobody is in are absent. A capture counts as done only once that is durable.
    public var phases: [Capture.Phase: Int]
    /// The captures whose phase changed, in order of device id.
    public var changed: [Change]

    /// One capture's step.
    public struct Change: Hashable, Sendable {
        public var device: DeviceID
        public var phase: Capture.Phase
        public var problem: CaptureProblem?

        public init(device: DeviceID, phase: Capture.Phase, problem: CaptureProblem? = nil) {
            self.device = device
            self.phase = phase
            self.problem = problem
        }
    }

    public init(shot: ShotID, stage: ShotStage, phases: [Capture.Phase: Int], changed: [Change]) {
        self.shot = shot
        self.stage = stage
        self.phases = phases
        self.changed = changed
    }
}

/// Where a shot stands as a whole.
public enum ShotStage: String, Hashable, Codable, Sendable, CaseIterable {
    /// The first manifest is being written; nothing has left the coordinator.
    case recording
    /// Nodes have been asked to arm.
    case arming
    /// Nodes have been told to choose; files are being collected, or all is settled.
    case resolving
}
