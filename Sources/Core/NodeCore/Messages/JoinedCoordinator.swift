/// What a welcome says: where the other channels are, and how liveness is kept.
package struct JoinedCoordinator: Hashable, Sendable {
    package var clockPort: UInt16
    package var collectPort: UInt16
    package var heartbeatInterval: Duration
    package var heartbeatTimeout: Duration

    package init(
        clockPort: UInt16, collectPort: UInt16, heartbeatInterval: Duration, heartbeatTimeout: Duration
    ) {
        self.clockPort = clockPort
        self.collectPort = collectPort
        self.heartbeatInterval = heartbeatInterval
        self.heartbeatTimeout = heartbeatTimeout
    }
}
