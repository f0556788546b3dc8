import CaptureEngine
import CaptureModel

/// What this node says to its coordinator.
enum NodeMessage: Sendable {
    case hello(NodeHello)
    case heartbeat(NodeHeartbeat)
    case prepareResult(PrepareResult)
    case captureResult(CaptureResult)
    case events(EventBatch)
    case deviceAnswer(DeviceAnswer)
    case inventory(InventoryPage)
}

/// What a node that wants to join says of itself.
struct NodeHello: Sendable {
    var devices: [DeviceStatus]
    /// How far back T may reach.
    var ringReach: Duration
    /// What lies in the spool, from the oldest.
    var inventory: InventoryPage
}

/// What a member says at intervals.
struct NodeHeartbeat: Sendable {
    var sequence: UInt64
    /// nil where no device has changed since they were told.
    var devices: [DeviceStatus]?
    /// How far the node's estimate of rig time may be off; nil where there is none.
    var clockBoundNanoseconds: Int64?
    var ringReach: Duration
    var health: NodeHealth.State
}

/// Whether a device is armed for a shot.
struct PrepareResult: Sendable {
    var key: CaptureKey
    var outcome: Result<ResolvedPhotoSettings, CaptureProblem>
}

/// The answer to a request.
struct DeviceAnswer: Sendable {
    var number: UInt64
    var outcome: Result<DeviceReply, CaptureProblem>
    /// How all devices stand as it is sent; empty where the request was about none.
    var devices: [DeviceStatus] = []
}

/// Captures that lie in the spool, in order.
struct InventoryPage: Sendable {
    /// The capture behind which the page begins; nil for the oldest.
    var after: CaptureKey?
    var captures: [CaptureReport]
    var hasMore: Bool
}

/// The node's way to its coordinator, whatever carries it.
protocol CoordinatorConnection: Sendable {
    /// - Parameters:
    ///   - coordinator: The coordinator that the node has joined; nil while it has not.
    ///   - mayWait: Whether the message may wait for a connection. What is true only for the moment may not: an absent
    ///     coordinator would find all of them when it comes back.
    /// - Returns: Whether it is on its way.
    @discardableResult
    func send(_ message: NodeMessage, to coordinator: Epoch?, mayWait: Bool) async -> Bool

    /// Makes the connection anew, since nothing comes on it.
    func reconnect() async
}
