import CaptureModel
import RigProtocol

/// What a welcome says: where the other channels are, and how liveness is kept.
struct JoinedCoordinator: Hashable, Sendable {
    var clockPort: UInt16
    var collectPort: UInt16
    var heartbeatInterval: Duration
    var heartbeatTimeout: Duration

    /// - Returns: nil when a value is not possible.
    init?(_ welcome: WireWelcome) {
        guard let clockPort = UInt16(exactly: welcome.clockPort),
            let collectPort = UInt16(exactly: welcome.collectPort),
            clockPort > 0, collectPort > 0, (10_000_000...60_000_000_000).contains(welcome.heartbeatIntervalNs),
            (welcome.heartbeatIntervalNs...600_000_000_000).contains(welcome.heartbeatTimeoutNs)
        else { return nil }
        self.clockPort = clockPort
        self.collectPort = collectPort
        heartbeatInterval = .nanoseconds(welcome.heartbeatIntervalNs)
        heartbeatTimeout = .nanoseconds(welcome.heartbeatTimeoutNs)
    }
}
