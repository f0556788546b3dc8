internal import PosixSupport
public import RigAccess
internal import RigSecurity
public import ZeroMQ

/// A connection that was refused.
public struct RefusedConnection: Hashable, Sendable {
    /// The peer's address in numbers.
    public let address: String
    /// The domain of the socket, which need not be an ``AccessDomain``.
    public let domain: String
    public let reason: AccessDecision.Reason
}

/// Decides which peers may connect to the sockets of a context, by the newest snapshot of the keys. It decides on a
/// thread of its own, so that it answers while the core or a disk hangs.
///
/// Create it before any socket of the context.
public struct ConnectionGate: Sendable {
    private let authenticator: Authenticator
    /// Keys of self-tests, whose refusals are expected and not reported.
    private let tests: Locked<Set<PublicKey>>

    /// - Parameters:
    ///   - snapshot: Returns the decisions of now. It must not wait.
    ///   - refused: Takes note of each refusal, on the gate's thread. It must not wait.
    /// - Throws: `EADDRINUSE` if the context already has an authenticator.
    public init(
        of context: ZeroMQContext, snapshot: @escaping @Sendable () -> AccessSnapshot,
        refused: @escaping @Sendable (RefusedConnection) -> Void
    ) throws(ZeroMQError) {
        let tests = Locked<Set<PublicKey>>([])
        self.tests = tests
        authenticator = try Authenticator(for: context) { request in
            switch Self.decide(request, snapshot()) {
            case .success(let identity): return .admit(userID: identity.userID)
            case .failure(let refusal):
                if let key = PublicKey(request.key), tests.withLock({ $0.contains(key) }) { return .refuse }
                refused(
                    RefusedConnection(address: request.address, domain: request.domain, reason: refusal.reason))
                return .refuse
            }
        }
    }

    /// Announces a connection with a key that nobody knows, whose refusal is not to be reported.
    func expectRefusal(of key: CurvePublicKey) {
        guard let key = PublicKey(key) else { return }
        tests.withLock { _ = $0.insert(key) }
    }

    private struct Refusal: Error {
        let reason: AccessDecision.Reason
    }

    private static func decide(
        _ request: AuthenticationRequest, _ snapshot: AccessSnapshot
    ) -> Result<PeerIdentity, Refusal> {
        guard let domain = AccessDomain(rawValue: request.domain), let key = PublicKey(request.key) else {
            return .failure(Refusal(reason: .unknown))
        }
        switch snapshot.decide(domain: domain, key: key) {
        case .admit: return .success(PeerIdentity(key: key, address: IPAddress(request.address)))
        case .refuse(let reason): return .failure(Refusal(reason: reason))
        }
    }
}

extension SocketSecurity {
    /// The server's end of a channel, whose connections a ``ConnectionGate`` decides.
    public static func channel(_ domain: AccessDomain, _ keys: CurveKeyPair) -> SocketSecurity {
        .server(keys, domain: domain.rawValue)
    }
}
