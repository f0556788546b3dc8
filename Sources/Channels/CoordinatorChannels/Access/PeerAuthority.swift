import CaptureModel
import ChannelSecurity
import RigAccess
import RigCore
import RigSecurity
import ZeroMQ

/// Whose messages a coordinator takes for whose. With keys, the connection's key decides, and never what a message says.
enum PeerAuthority: Sendable {
    /// Connections have no keys. Every peer may speak for every node, and every client may do everything.
    case anybody
    /// Connections have keys, of which the newest snapshot is asked for each message: a connection may outlive its key by
    /// the moment that ending it takes.
    case keys(@Sendable () -> AccessSnapshot)

    /// The decisions of now; nil without keys.
    var snapshot: AccessSnapshot? {
        switch self {
        case .anybody: nil
        case .keys(let snapshot): snapshot()
        }
    }

    /// Whether the sender of a message may speak for a node.
    func permits(_ message: ReceivedMessage, speakingFor node: NodeName) -> Bool {
        switch self {
        case .anybody: true
        case .keys(let snapshot): holder(of: message, in: snapshot())?.node == node
        }
    }

    /// Returns who makes a client's request, and with which permissions.
    /// - Parameters:
    ///   - claimed: The name that the request gives. It counts only without keys.
    ///   - session: The secret of the session that the request forwards; empty for a request of the connection's own key.
    /// - Throws: `notPermitted` if the rig no longer knows the key, or the key forwards nobody's requests; `sessionEnded`.
    func requester(
        of message: ReceivedMessage, claimed: String, session: some Collection<UInt8>, token: RequesterToken,
        at now: WallTime
    ) throws(RigProblem) -> Requester {
        switch self {
        case .anybody: return Requester(Principal(claimed: claimed) ?? .unnamed, Role.admin.permissions, token)
        case .keys(let snapshot):
            let identity = PeerIdentity(of: message)
            guard let holder = identity.flatMap({ snapshot().holder(of: $0.key) }) else {
                throw RigProblem(
                    .notPermitted,
                    "the key of this connection was revoked; an administrator of the rig can admit another one")
            }
            guard session.isEmpty else {
                return try Self.forwarded(by: holder, session, token, identity?.address, snapshot(), at: now)
            }
            var requester = Requester(
                holder.principal, holder.role.permissions, token, key: holder.key, address: identity?.address)
            requester.isGateway = !holder.role.forwardable.isEmpty
            return requester
        }
    }

    /// The maker of a session, with what session, maker and gateway all may.
    private static func forwarded(
        by gateway: KeyHolder, _ session: some Collection<UInt8>, _ token: RequesterToken, _ address: IPAddress?,
        _ snapshot: AccessSnapshot, at now: WallTime
    ) throws(RigProblem) -> Requester {
        guard !gateway.role.forwardable.isEmpty else {
            throw RigProblem(
                .notPermitted,
                "\(gateway.name) is not a gateway (role dashboard), so it cannot ask in the name of a session")
        }
        guard let grant = SessionSecret(bytes: session).flatMap({ snapshot.grant(of: $0, at: now) }) else {
            throw RigProblem(
                .sessionEnded, "this session is not valid or has ended; sign in with a new link: capctl web login")
        }
        return Requester(
            grant.holder.principal, grant.permissions.intersection(gateway.role.forwardable), token,
            key: grant.holder.key, address: address,
            forwarding: Requester.Forwarding(gateway: gateway.principal, session: grant.session))
    }

    private func holder(of message: ReceivedMessage, in snapshot: AccessSnapshot) -> KeyHolder? {
        PeerIdentity(of: message).flatMap { snapshot.holder(of: $0.key) }
    }
}
