internal import RigClient
public import RigConfiguration
public import RigSecurity
internal import SystemClock
public import ZeroMQ

/// Asks a coordinator why it refuses connections of a node.
public enum StandingQuery {
    /// - Parameters:
    ///   - control: The coordinator's control channel. Its join channel is beside it ([protocol](docs/protocol/join.md)).
    ///   - context: The process's ZeroMQ context.
    /// - Returns: nil without an answer.
    public static func ask(
        _ control: TCPEndpoint, keys: CurveKeyPair, coordinator: CurvePublicKey, context: ZeroMQContext
    ) async -> KeyStanding? {
        guard let join = control.channel(.join, from: .control), let executor = try? SocketExecutor(name: "standing")
        else { return nil }
        return await JoinClient(context: context, executor: executor, time: SystemTimeSource())
            .standing(of: keys, at: join, coordinator: coordinator)
    }
}
