public import CaptureModel

/// Who has a key: the authenticated name and role of a connection.
public struct KeyHolder: Hashable, Sendable {
    public var name: KeyName
    public var role: Role
    public var key: PublicKey

    public init(name: KeyName, role: Role, key: PublicKey) {
        self.name = name
        self.role = role
        self.key = key
    }

    /// The originator of this holder's requests, as logs and manifests record it.
    public var principal: Principal {
        Principal(recorded: name.rawValue, isAuthenticated: true) ?? .unnamed
    }

    /// The node whose key it is; nil for another role.
    public var node: NodeName? {
        role == .node ? try? NodeName(name.rawValue) : nil
    }
}
