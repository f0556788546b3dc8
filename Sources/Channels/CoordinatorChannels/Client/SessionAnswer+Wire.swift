import CaptureModel
import FoundationEssentials
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import RigWire

extension KeyRegistry.SessionRequest {
    init(wire: WireIssueSession) throws(WireError) {
        let reader = FieldReader("IssueSession")
        let names = try reader.list(wire.permissions, "permissions", limit: Permission.allCases.count)
        self.init(
            kind: try reader.word(wire.kind, "kind", as: Session.Kind.self), label: wire.label,
            permissions: Set(
                try names.map { name throws(WireError) in
                    try reader.word(name, "permissions", as: Permission.self)
                }),
            validity: .nanoseconds(
                try reader.number(wire.validityNs, "validity_ns", in: 0...Session.validities.upperBound.nanoseconds)))
    }
}

extension Set<Permission> {
    /// In the order of the roles' table.
    fileprivate var words: [String] { Permission.allCases.filter(contains).map(\.rawValue) }
}

extension Session {
    /// Without its maker's name, which only the registry knows.
    var wire: WireSession {
        var wire = WireSession()
        wire.id = "\(id)"
        wire.kind = kind.rawValue
        wire.label = label
        wire.permissions = permissions.words
        wire.issuedUnixNs = issuedAt.nanoseconds
        wire.expiresUnixNs = expiresAt.nanoseconds
        return wire
    }
}

extension SessionGrant {
    var wire: WireSession {
        var wire = session.wire
        wire.maker = holder.wire
        wire.permissions = permissions.words
        return wire
    }
}

extension IssuedSession {
    var wire: WireIssuedSession {
        var wire = WireIssuedSession()
        wire.session = session.wire
        wire.secret = Data(secret.bytes)
        return wire
    }
}

extension Requester {
    var identity: WireIdentity {
        var wire = WireIdentity()
        wire.principal = principal.name
        wire.permissions = permissions.words
        if let forwarding {
            wire.gateway = forwarding.gateway.name
            wire.session = forwarding.session.wire
        }
        return wire
    }
}
