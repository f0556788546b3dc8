public import CaptureModel

/// A message of a node to its coordinator, on the control channel. Everything that it names belongs to the node.
public enum NodeMessage: Hashable, Sendable {
    case hello(NodeHello)
    case heartbeat(NodeHeartbeat)
    case prepareResult(PrepareResult)
    case captureResult(CaptureResult)
    case events(EventBatch)
    case deviceAnswer(DeviceAnswer)
    case inventory(InventoryPage)
}

/// The answer to a ``PrepareOrder`` for one device: what its photo will be, or why it is not armed.
public struct PrepareResult: Hashable, Sendable {
    public var key: CaptureKey
    public var outcome: Result<ResolvedPhotoSettings, RigProblem>

    public init(key: CaptureKey, outcome: Result<ResolvedPhotoSettings, RigProblem>) {
        self.key = key
        self.outcome = outcome
    }
}
