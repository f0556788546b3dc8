internal import RigClient
public import RigConfiguration
public import RigSecurity
internal import SystemClock
public import ZeroMQ

/// Asks a coordinator why it refuses connections of a node.
public enum StandingQuery {
    /// Asks on the join channel that is beside the control channel ([protocol](docs/protocol/join.md)), and if nothing answers there, on those
    /// that would be beside the channels for programs, which admit no node.
    /// - Parameters:
    ///   - refusing: What refuses the node: the coordinator's control channel, unless the node's configuration names another port.
    ///   - context: The process's ZeroMQ context.
    /// - Returns: The answer, and which channel `refusing` is; nil without an answer.
    public static func ask(
        _ refusing: TCPEndpoint, keys: CurveKeyPair, coordinator: CurvePublicKey, context: ZeroMQContext
    ) async -> (standing: KeyStanding, channel: CoordinatorPort)? {
        guard let executor = try? SocketExecutor(name: "standing") else { return nil }
        let client = JoinClient(context: context, executor: executor, time: SystemTimeSource())
        for channel in [CoordinatorPort.control, .client, .feed] {
            guard let join = refusing.channel(.join, from: channel) else { continue }
            if let standing = await client.standing(of: keys, at: join, coordinator: coordinator) {
                return (standing, channel)
            }
        }
        return nil
    }
}
