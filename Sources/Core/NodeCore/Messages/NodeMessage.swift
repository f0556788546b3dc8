package import CaptureEngine
package import CaptureModel

/// What this node says to its coordinator.
package enum NodeMessage: Sendable {
    case hello(NodeHello)
    case heartbeat(NodeHeartbeat)
    case prepareResult(PrepareResult)
    case captureResult(CaptureResult)
    case events(EventBatch)
    case deviceAnswer(DeviceAnswer)
    case inventory(InventoryPage)
}

/// What a node that wants to join says of itself.
package struct NodeHello: Sendable {
    package var devices: [DeviceStatus]
    /// How far back T may reach.
    package var ringReach: Duration
    /// What lies in the spool, from the oldest.
    package var inventory: InventoryPage
}

/// What a member says at intervals.
package struct NodeHeartbeat: Sendable {
    package var sequence: UInt64
    /// nil where no device has changed since they were told.
    package var devices: [DeviceStatus]?
    /// How far the node's estimate of rig time may be off; nil where there is none.
    package var clockBoundNanoseconds: Int64?
    package var ringReach: Duration
    package var health: NodeHealth.State
}

/// Whether a device is armed for a shot.
package struct PrepareResult: Sendable {
    package var key: CaptureKey
    package var outcome: Result<ResolvedPhotoSettings, CaptureProblem>
}

/// The answer to a request.
package struct DeviceAnswer: Sendable {
    package var number: UInt64
    package var outcome: Result<DeviceReply, CaptureProblem>
    /// How all devices stand as it is sent; empty where the request was about none.
    package var devices: [DeviceStatus] = []
}

/// Captures that lie in the spool, in order.
package struct InventoryPage: Sendable {
    /// The capture behind which the page begins; nil for the oldest.
    package var after: CaptureKey?
    package var captures: [CaptureReport]
    package var hasMore: Bool
}

/// The node's way to its coordinator, whatever carries it.
package protocol CoordinatorConnection: Sendable {
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
