public import FaultPoints
internal import PosixSupport
public import RigAccess
internal import RigSecurity
public import ZeroMQ

/// A connection that was refused.
public struct RefusedConnection: Hashable, Sendable {
    /// The peer's address in numbers.
    public let address: String
    /// The channel; the domain of the socket if that names none.
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
    ///   - admitted: Takes note of each admission, on the gate's thread. It must not wait.
    ///   - refused: Takes note of each refusal, on the gate's thread. It must not wait.
    /// - Throws: `EADDRINUSE` if the context already has an authenticator.
    public init(
        of context: ZeroMQContext, snapshot: @escaping @Sendable () -> AccessSnapshot,
        admitted: @escaping @Sendable (AdmittedConnection) -> Void = { _ in },
        refused: @escaping @Sendable (RefusedConnection) -> Void
    ) throws(ZeroMQError) {
        let tests = Locked<Set<PublicKey>>([])
        self.tests = tests
        authenticator = try Authenticator(for: context) { request in
            GateFault.decide.reached()
            guard let keyed = KeyedDomain(request.domain), let key = PublicKey(request.key) else {
                refused(RefusedConnection(address: request.address, domain: request.domain, reason: .unknown))
                return .refuse
            }
            switch snapshot().decide(domain: keyed.domain, key: key) {
            case .admit:
                admitted(AdmittedConnection(domain: keyed.domain, key: key, server: keyed.server))
                return .admit(userID: PeerIdentity(key: key, address: IPAddress(request.address)).userID)
            case .refuse(let reason):
                guard !tests.withLock({ $0.contains(key) }) else { return .refuse }
                refused(
                    RefusedConnection(address: request.address, domain: keyed.domain.rawValue, reason: reason))
                return .refuse
            }
        }
    }

    /// Announces a connection with a key that nobody knows, whose refusal is not to be reported.
    func expectRefusal(of key: CurvePublicKey) {
        guard let key = PublicKey(key) else { return }
        tests.withLock { _ = $0.insert(key) }
    }
}

/// Points on the gate's thread.
public enum GateFault: String, ThreadFaultPoint {
    /// A connection is about to be decided.
    case decide = "gate.connection.decide"
}
