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
    /// - Parameter claimed: The name that the request gives. It counts only without keys.
    /// - Throws: `notPermitted` if the rig does not know the key any more.
    func requester(
        of message: ReceivedMessage, claimed: String, token: RequesterToken
    ) throws(CaptureProblem) -> Requester {
        switch self {
        case .anybody: return Requester(Principal(claimed: claimed) ?? .unnamed, Role.admin.permissions, token)
        case .keys(let snapshot):
            let identity = PeerIdentity(of: message)
            guard let holder = identity.flatMap({ snapshot().holder(of: $0.key) }) else {
                throw CaptureProblem(
                    .notPermitted,
                    "the key of this connection was revoked; an administrator of the rig can admit another one")
            }
            return Requester(
                holder.principal, holder.role.permissions, token, key: holder.key, address: identity?.address)
        }
    }

    private func holder(of message: ReceivedMessage, in snapshot: AccessSnapshot) -> KeyHolder? {
        PeerIdentity(of: message).flatMap { snapshot.holder(of: $0.key) }
    }
}
