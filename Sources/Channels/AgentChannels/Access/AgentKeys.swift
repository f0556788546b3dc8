public import CaptureModel
import ChannelSecurity
import KeyFiles
public import Logging
import PosixSupport
import RigAccess
import RigSecurity
import ZeroMQ

/// An agent's own key pair, the coordinator's public key, and the keys that may watch.
///
/// | path in the folder | content |
/// |---|---|
/// | `agent.key_secret` | the agent's key pair, made when it joins a rig |
/// | `coordinator.key` | the coordinator's public key, and the endpoint of its control channel |
/// | `viewers.json` | the keys that may watch, as the coordinator sent them last |
public struct AgentKeys: Sendable {
    /// What to do on a machine that has not joined.
    public static let joinRemedy =
        "make a code on the coordinator with `capctl node invite NAME`, and join with it: capagentd join CODE"

    let pair: CurveKeyPair
    /// The coordinator that the agent has joined, with its key at the start.
    let coordinator: CoordinatorAddress
    let viewers: ViewerKeys
    private let coordinatorFile: CoordinatorKeyFile

    /// Reads all of them. Blocks on the disk.
    /// - Parameter environment: The variables of the process, for `CREDENTIALS_DIRECTORY`.
    /// - Throws: If the machine has not joined a rig, or a file is damaged, or readable or writable by others.
    public init(folder: String, environment: [String: String], clock: any TimeSource, log: Logger) throws {
        pair = try Self.pair(in: KeyFile(KeyFile.agentName, in: folder, environment: environment))
        coordinatorFile = CoordinatorKeyFile(in: folder, remedy: Self.joinRemedy)
        coordinator = try coordinatorFile.load()
        viewers = try ViewerKeys(folder: folder, executor: try ThreadExecutor(name: "viewers"), clock: clock, log: log)
    }

    private static func pair(in file: KeyFile) throws(KeyFileError) -> CurveKeyPair {
        do {
            return try file.load()
        } catch {
            guard error.code == .missing else { throw error }
            var missing = error
            missing.remedy = joinRemedy
            throw missing
        }
    }

    /// The agent's end of a connection to the coordinator.
    var toCoordinator: SocketSecurity { .client(pair, server: coordinator.key) }

    /// Replaces the coordinator's key in its file. Blocks on the disk.
    func store(_ key: CurvePublicKey) throws(KeyFileError) {
        try coordinatorFile.store(
            CoordinatorAddress(key: key, endpoint: coordinator.endpoint), holder: "the coordinator of this node")
    }

    /// The gate of the frames channel. Create it before any socket.
    func gate(
        of context: ZeroMQContext, refused: @escaping @Sendable (RefusedConnection) -> Void
    ) throws(ZeroMQError) -> ConnectionGate {
        try ConnectionGate(of: context, snapshot: { [viewers] in viewers.snapshot }, refused: refused)
    }
}
