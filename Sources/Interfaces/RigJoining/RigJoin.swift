public import CaptureModel
public import KeyFiles
internal import PosixSupport
internal import RigClient
public import RigConfiguration
public import RigSecurity
internal import RigWire
public import ZeroMQ

/// Joins a rig: makes the machine's key pair, and has the coordinator admit it.
///
/// Each step may be repeated after a crash: the key pair is made once, and a code that has admitted it admits it again.
public struct RigJoin: Sendable {
    let client: JoinClient
    private let time: any TimeSource

    /// - Throws: `ZeroMQError` if the system provides no thread or descriptor for a socket.
    public init(time: any TimeSource) throws {
        client = JoinClient(context: try ZeroMQContext(), executor: try SocketExecutor(name: "join"), time: time)
        self.time = time
    }

    /// Joins with a code.
    /// - Parameter keyFile: The file of the machine's key pair, which is made if it is missing.
    /// - Throws: ``JoinError``; ``KeyFileError`` if the key pair cannot be made or read.
    public func join(with code: JoinCode, keyFile: KeyFile) async throws -> JoinedRig {
        let pair = try makeKey(keyFile, for: "\(code.name) of rig \(code.rig)")
        switch try await redeem(code, pair) {
        case .admitted(let admission, let endpoint):
            return try JoinedRig(admission, endpoint: endpoint, coordinator: code.coordinator)
        case .waiting: throw UnexpectedAnswer()
        }
    }

    /// Joins by the approval of an admin of the rig, and waits for it.
    /// - Parameters:
    ///   - coordinator: Whom the machine trusts. Nothing but its key makes it the right one.
    ///   - keyFile: As for a code.
    ///   - patience: How long the admin may take.
    ///   - waiting: Called once, with this machine's key, when the coordinator has taken the request.
    /// - Throws: As with a code; `CancellationError`.
    public func join(
        approvedBy coordinator: CoordinatorPlace, as name: KeyName, _ role: Role, keyFile: KeyFile,
        within patience: Duration, waiting: (PublicKey) -> Void
    ) async throws -> JoinedRig {
        let pair = try makeKey(keyFile, for: "\(role.rawValue) \(name)")
        guard let key = PublicKey(bytes: pair.publicKey.bytes) else { throw UnexpectedAnswer() }
        let (admission, endpoint) = try await client.requestApproval(
            as: name, role, at: coordinator.join, coordinator: coordinator.key, keys: pair, within: patience
        ) { waiting(key) }
        return try JoinedRig(admission, endpoint: endpoint, coordinator: coordinator.key)
    }

    /// A code that was made before the coordinator's key was replaced has the old one, which only the second ports prove.
    private func redeem(_ code: JoinCode, _ pair: CurveKeyPair) async throws(JoinError) -> JoinOutcome {
        let means = JoinMeans.token(code.token)
        do {
            return try await client.join(means, at: code.endpoints, coordinator: code.coordinator, keys: pair)
        } catch {
            let seconds = code.endpoints.compactMap(\.secondPort)
            guard error.code == .wrongCoordinator, !seconds.isEmpty else { throw error }
            do {
                return try await client.join(means, at: seconds, coordinator: code.coordinator, keys: pair)
            } catch let later {
                if case .refused = later.code { throw later }
                throw error
            }
        }
    }

    /// - Parameter holder: Whose key it is, for people.
    private func makeKey(_ keyFile: KeyFile, for holder: String) throws(KeyFileError) -> CurveKeyPair {
        let now = UTCDate(realtimeNanoseconds: time.wallClockPair().realtimeNanoseconds)
        return try keyFile.loadOrCreate(holder: holder, now: now).pair
    }

    /// The coordinator lets a machine with a code wait, which the protocol does not allow.
    struct UnexpectedAnswer: Error, CustomStringConvertible {
        var description: String {
            "the coordinator gave an answer that the protocol does not allow; use programs of the same version"
        }
    }
}

/// A rig that has admitted this machine's key.
public struct JoinedRig: Hashable, Sendable {
    public var rig: RigName
    public var name: KeyName
    public var role: Role
    /// The coordinator's public key.
    public var coordinator: CurvePublicKey
    /// Where agents connect to, on the host that has answered.
    public var control: TCPEndpoint
    /// Where clients connect to, on the same host.
    public var client: TCPEndpoint

    init(_ admission: JoinAdmission, endpoint: JoinEndpoint, coordinator: PublicKey) throws {
        guard let key = CurvePublicKey(bytes: coordinator.bytes) else { throw RigJoin.UnexpectedAnswer() }
        let host = "\(endpoint.host)".filter { $0 != "[" && $0 != "]" }
        rig = admission.rig
        name = admission.name
        role = admission.role
        self.coordinator = key
        control = TCPEndpoint(host: host, port: admission.controlPort)
        client = TCPEndpoint(host: host, port: admission.clientPort)
    }
}
