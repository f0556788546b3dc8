/// What the answer to a request waits for: requests of one kind take no place from those of another.
enum AnswerSource: Hashable, Sendable {
    /// Nodes: triggers, requests of devices and takes, which the rig bounds and refuses itself.
    case nodes
    /// What the coordinator has in memory.
    case memory
    /// A disk, which may take long or hang.
    case disk

    init(of request: RigRequest) {
        switch request {
        case .command(.trigger, _), .command(.device, _), .command(.stopTake, _), .command(.markTake, _): self = .nodes
        case .command(.annotate, _): self = .disk
        case .command(.forgetDevices, _), .query(.devices, _), .query(.status, _): self = .memory
        case .query: self = .disk
        }
    }
}
