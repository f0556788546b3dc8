public import PosixSupport
internal import RigProtocol
public import RigSecurity
internal import RigWire

/// A session of a person or script behind a gateway.
public struct RigSession: Hashable, Sendable {
    public var id: SessionID
    public var kind: Kind
    /// What its maker calls it.
    public var label: String
    /// nil where the coordinator does not name it: in the answer to what made or ended the session, and in an identity.
    public var maker: KeyHolder?
    public var permissions: Set<Permission>
    public var issued: UTCDate
    public var expires: UTCDate

    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A sign-in that nobody has made yet.
        case link
        case browser
        case token
    }
}

/// Who makes a request, and what requests like it may do.
public struct RigIdentity: Hashable, Sendable {
    public var principal: String
    public var permissions: Set<Permission>
    /// nil for a request in the name of the connection's own key.
    public var session: RigSession?
}

extension RigSession {
    init(wire: WireSession) throws(WireError) {
        let reader = FieldReader("Session")
        id = try reader.present(SessionID(wire.id), "id")
        kind = try reader.word(wire.kind, "kind", as: Kind.self)
        label = wire.label
        maker = wire.hasMaker ? try KeyHolder(wire: wire.maker) : nil
        permissions = try reader.permissions(wire.permissions)
        issued = UTCDate(realtimeNanoseconds: wire.issuedUnixNs)
        expires = UTCDate(realtimeNanoseconds: wire.expiresUnixNs)
    }
}

extension RigIdentity {
    init(wire: WireIdentity) throws(WireError) {
        principal = wire.principal
        permissions = try FieldReader("Identity").permissions(wire.permissions)
        session = wire.hasSession ? try RigSession(wire: wire.session) : nil
    }
}

extension FieldReader {
    /// Permissions that this version does not know allow nothing that it could ask for.
    fileprivate func permissions(_ words: [String]) throws(WireError) -> Set<Permission> {
        Set(try list(words, "permissions", limit: 64).compactMap(Permission.init))
    }
}
