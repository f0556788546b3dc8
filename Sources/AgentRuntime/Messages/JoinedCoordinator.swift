/// What a welcome says: where the other channels are, and how liveness is kept.
struct JoinedCoordinator: Hashable, Sendable {
    var clockPort: UInt16
    var collectPort: UInt16
    var heartbeatInterval: Duration
    var heartbeatTimeout: Duration
}
