public import RigSecurity

/// A kind of socket to which peers connect, and the ZAP domain in which their keys are judged.
///
/// | role | control | clock | collect | client | feed | frames | join |
/// |---|---|---|---|---|---|---|---|
/// | viewer | – | – | – | yes | yes | yes | yes |
/// | operator | – | – | – | yes | yes | yes | yes |
/// | node | yes | yes | yes | – | – | – | yes |
/// | dashboard | – | – | – | yes | yes | yes | yes |
/// | admin | – | – | – | yes | yes | yes | yes |
public enum AccessDomain: String, Hashable, Codable, Sendable, CaseIterable {
    /// Commands to nodes and their reports.
    case control
    /// Probes of rig time.
    case clock
    /// Files from nodes.
    case collect
    /// Requests of clients; each is checked for its own permission.
    case client
    /// Events.
    case feed
    /// Live pictures and sound, from each agent to viewers.
    case frames
    /// Joining. It admits every key, also an unknown or a revoked one, to be told what to do.
    case join

    /// Returns whether connections of a role are admitted.
    public func admits(_ role: Role) -> Bool {
        switch self {
        case .control, .clock, .collect: role == .node
        case .client: !role.permissions.isEmpty
        case .feed, .frames: role.permits(.view)
        case .join: true
        }
    }
}

/// Who is at the other end of an admitted connection.
public enum ConnectionPrincipal: Hashable, Sendable {
    case holder(KeyHolder)
    /// Anybody, on the join socket: only possession of the key is proved.
    case stranger(PublicKey)
}

/// Whether a connection is admitted.
public enum AccessDecision: Hashable, Sendable {
    public enum Reason: String, Hashable, Codable, Sendable, CaseIterable {
        /// The rig does not know the key.
        case unknown
        /// The key was revoked, or replaced by another.
        case revoked
        /// The key's role has no access to this domain.
        case notPermitted
    }

    case admit(ConnectionPrincipal)
    case refuse(Reason)
}
