internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import RigSecurity

/// The keys of a rig, with what is pending.
struct KeyListReport: Report {
    var list: KeyList
    /// The coordinator's own key; nil for a rig without keys.
    var coordinator: PublicKey?

    struct Document: Encodable {
        var coordinator: Coordinator?
        var revision: UInt64
        var keys: [Key]
        var invitations: [Invitation]
        var requests: [Request]
        /// Absent unless the coordinator's own key is being replaced.
        var rotation: RotationReport.Document?

        struct Coordinator: Encodable {
            var fingerprint: String
            /// Base64.
            var key: String
        }

        struct Key: Encodable {
            var name: String
            var role: String
            var fingerprint: String
            var means: String
            var admittedBy: String
            var admitted: String
            var revoked: String?
            var revokedBy: String?
        }

        struct Invitation: Encodable {
            var name: String
            var role: String
            var issuedBy: String
            var expires: String
            var state: String
        }

        struct Request: Encodable {
            var name: String
            var role: String
            var fingerprint: String
            var asked: String
            var declined: Bool
        }
    }

    var document: Document {
        Document(
            coordinator: coordinator.map { Document.Coordinator(fingerprint: "\($0)", key: $0.base64) },
            revision: list.revision, keys: list.keys.map(Document.Key.init),
            invitations: list.invitations.map(Document.Invitation.init),
            requests: list.requests.map(Document.Request.init), rotation: rotation?.document)
    }

    var table: String { keys + invitations + requests + (rotation?.table ?? "") + ownKey }

    private var ownKey: String { coordinator.map { "the coordinator: \($0), key \($0.base64)\n" } ?? "" }

    private var rotation: RotationReport? {
        list.rotation.map { RotationReport(rotation: $0, isEnded: !$0.isOldServed) }
    }

    private var keys: String {
        let columns: [Table.Column] = [
            .init("NAME"), .init("ROLE"), .init("STATE"), .init("SINCE"), .init("BY"), .init("FINGERPRINT"),
        ]
        let rows = list.keys.map { key in
            let state = key.revocation.map { ("revoked", $0.at, $0.by) } ?? ("active", key.admittedAt, key.admittedBy)
            return [
                key.holder.name.rawValue, key.holder.role.rawValue, state.0, state.1.description, state.2,
                "\(key.holder.key)",
            ]
        }
        return Table(columns: columns, rows: rows).rendered()
    }

    private var invitations: String {
        list.invitations.filter { $0.state == .open }.map { invitation in
            "invited: \(invitation.role.rawValue) '\(invitation.name)', until \(invitation.expiresAt.description)\n"
        }.joined()
    }

    private var requests: String {
        list.requests.filter { !$0.isDeclined }.map { request in
            "asks to join: \(request.role.rawValue) '\(request.name)', \(request.key); if the machine shows this fingerprint: "
                + "capctl keys approve '\(request.key)'\n"
        }.joined()
    }
}

extension KeyListReport.Document.Key {
    fileprivate init(_ key: AdmittedKey) {
        self.init(
            name: key.holder.name.rawValue, role: key.holder.role.rawValue, fingerprint: "\(key.holder.key)",
            means: key.means, admittedBy: key.admittedBy, admitted: key.admittedAt.description,
            revoked: key.revocation.map { $0.at.description }, revokedBy: key.revocation?.by)
    }
}

extension KeyListReport.Document.Invitation {
    fileprivate init(_ invitation: KeyInvitation) {
        self.init(
            name: invitation.name.rawValue, role: invitation.role.rawValue, issuedBy: invitation.issuedBy,
            expires: invitation.expiresAt.description, state: invitation.state.rawValue)
    }
}

extension KeyListReport.Document.Request {
    fileprivate init(_ request: KeyRequest) {
        self.init(
            name: request.name.rawValue, role: request.role.rawValue, fingerprint: "\(request.key)",
            asked: request.askedAt.description, declined: request.isDeclined)
    }
}

/// Keys that a command has changed.
struct HolderReport: Report {
    var holders: [KeyHolder]

    struct Holder: Encodable {
        var name: String
        var role: String
        var fingerprint: String

        init(_ holder: KeyHolder) {
            (name, role, fingerprint) = (holder.name.rawValue, holder.role.rawValue, "\(holder.key)")
        }
    }

    var document: [String: [Holder]] { ["keys": holders.map(Holder.init)] }

    var table: String {
        let columns: [Table.Column] = [.init("NAME"), .init("ROLE"), .init("FINGERPRINT")]
        return Table(
            columns: columns, rows: holders.map { [$0.name.rawValue, $0.role.rawValue, "\($0.key)"] }
        ).rendered()
    }
}

/// Keys that were revoked, and the nodes that may still let them watch.
struct RevocationReport: Report {
    var revoked: [KeyHolder]
    var unconfirmed: [NodeName]

    struct Document: Encodable {
        var revoked: [HolderReport.Holder]
        var unconfirmed: [NodeName]
    }

    var document: Document { Document(revoked: revoked.map(HolderReport.Holder.init), unconfirmed: unconfirmed) }

    var table: String {
        let names = revoked.map { "\($0.role.rawValue) '\($0.name)'" }.joined(separator: ", ")
        let ended = revoked.isEmpty ? "no active key is meant; nothing was to be revoked\n" : "revoked: \(names)\n"
        guard !unconfirmed.isEmpty else { return ended }
        let nodes = unconfirmed.map(\.rawValue).joined(separator: ", ")
        return ended + "not confirmed by: \(nodes); each ends the key's connections when the coordinator reaches it\n"
    }
}
