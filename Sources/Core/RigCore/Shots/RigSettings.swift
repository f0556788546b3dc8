/// The times the coordinator keeps to.
package struct RigSettings: Hashable, Sendable {
    /// How often agents send a heartbeat, and after how much silence a side counts the other as gone.
    package var heartbeatInterval = Duration.milliseconds(500)
    package var heartbeatTimeout = Duration.seconds(2)
    /// How long nodes may take to arm.
    package var arming = Duration.seconds(1)
    /// How long reports may take after T.
    package var grace = Duration.seconds(3)
    /// How long a client waits after T when it does not say.
    package var timeout = Duration.seconds(10)
    /// How far ahead T may lie.
    package var maximumAhead = Duration.seconds(30)

    package init() {}
}
