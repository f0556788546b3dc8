/// The set of permissions that a key has. A key has one role.
///
/// | role | view | read | add | trigger | configure | admin |
/// |---|---|---|---|---|---|---|
/// | viewer | own | own | – | – | – | – |
/// | operator | own | own | own | own | own | – |
/// | node | – | – | – | – | – | – |
/// | dashboard | own | own | session | session | session | session |
/// | admin | own | own | own | own | own | own |
///
/// - *own*: the holder has the permission for requests in its own name.
/// - *session*: the holder has the permission only for a request that carries a session or token that the coordinator
///   issued to a person, and only if that session has it too. A gateway whose key is stolen can look and read, and
///   cannot act without a session that is alive. Without *session* a gateway's users could do nothing that its own key
///   cannot, because a session only narrows the gateway's rights.
/// - A node's key has no permission of a client. It admits the node to the channels between node and coordinator, to
///   which no permission admits: an admin's key cannot pose as a node.
public enum Role: String, Hashable, Codable, Sendable, CaseIterable {
    case viewer
    case `operator`
    case node
    case dashboard
    case admin

    /// The permissions for requests in the holder's own name.
    public var permissions: Set<Permission> {
        switch self {
        case .viewer, .dashboard: [.view, .read]
        case .operator: [.view, .read, .add, .trigger, .configure]
        case .node: []
        case .admin: Set(Permission.allCases)
        }
    }

    /// The most that a request with a session of the coordinator may do when this holder forwards it; empty for a role
    /// that forwards none.
    public var forwardable: Set<Permission> {
        switch self {
        case .dashboard: Set(Permission.allCases)
        case .viewer, .operator, .node, .admin: []
        }
    }

    /// Returns whether the holder has a permission in its own name.
    public func permits(_ permission: Permission) -> Bool { permissions.contains(permission) }

    /// Returns whether the holder has a permission for a request with a session that has `session`'s permissions.
    public func permits(_ permission: Permission, forwarding session: Set<Permission>) -> Bool {
        forwardable.contains(permission) && session.contains(permission)
    }
}
