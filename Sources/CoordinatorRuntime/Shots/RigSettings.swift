import CaptureModel

/// The times the coordinator keeps to.
struct RigSettings: Hashable, Sendable {
    /// How often agents send a heartbeat, and after how much silence a side counts the other as gone.
    var heartbeatInterval = Duration.milliseconds(500)
    var heartbeatTimeout = Duration.seconds(2)
    /// How long nodes may take to arm.
    var arming = Duration.seconds(1)
    /// How long reports may take after T.
    var grace = Duration.seconds(3)
    /// How long a client waits after T when it does not say.
    var timeout = Duration.seconds(10)
    /// How far ahead T may lie.
    var maximumAhead = Duration.seconds(30)
}
