internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// The keys of a rig, with what is pending.
struct KeyListReport: Report {
    var list: KeyList
    /// The coordinator's own key; nil for a rig without keys.
    var coordinator: PublicKey?

    var document: KeyListDocument { KeyListDocument(list, coordinator: coordinator) }

    var names: [String]? { list.keys.map(\.holder.name.rawValue) }

    func table(_ layout: TextLayout) -> String {
        keys(layout) + invitations(layout) + requests + (rotation?.table(layout) ?? "") + ownKey
    }

    private var ownKey: String { coordinator.map { "the coordinator: \($0), key \($0.base64)\n" } ?? "" }

    private var rotation: RotationReport? {
        list.rotation.map { RotationReport(rotation: $0, isEnded: !$0.isOldServed) }
    }

    private func keys(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("NAME", .left, .end(8)), .init("ROLE"), .init("STATE"), .init("SINCE", dropped: 2),
            .init("BY", .left, .end(6), dropped: 1), .init("FINGERPRINT", .left, .end(20)),
        ]
        let rows = list.keys.map { key in
            let state = key.revocation.map { ("revoked", $0.at, $0.by) } ?? ("active", key.admittedAt, key.admittedBy)
            return [
                key.holder.name.rawValue, key.holder.role.rawValue, state.0, layout.time(state.1.description), state.2,
                "\(key.holder.key)",
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }

    private func invitations(_ layout: TextLayout) -> String {
        list.invitations.filter { $0.state == .open }.map { invitation in
            "invited: \(invitation.role.rawValue) '\(invitation.name)', until \(layout.time(invitation.expiresAt.description))\n"
        }.joined()
    }

    private var requests: String {
        list.requests.filter { !$0.isDeclined }.map { request in
            "asks to join: \(request.role.rawValue) '\(request.name)', \(request.key); if the machine shows this fingerprint: "
                + "capctl keys approve '\(request.key)'\n"
        }.joined()
    }
}

/// Keys that a command has changed.
struct HolderReport: Report {
    var holders: [KeyHolder]

    var document: HoldersDocument { HoldersDocument(holders) }
    var names: [String]? { holders.map(\.name.rawValue) }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("NAME", .left, .end(8)), .init("ROLE"), .init("FINGERPRINT", .left, .end(20)),
        ]
        return Table(
            columns: columns, rows: holders.map { [$0.name.rawValue, $0.role.rawValue, "\($0.key)"] }
        ).rendered(layout)
    }
}

/// Keys that were revoked, and the nodes that may still let them watch.
struct RevocationReport: Report {
    var revoked: [KeyHolder]
    var unconfirmed: [NodeName]

    var document: RevocationDocument { RevocationDocument(revoked, unconfirmed: unconfirmed) }
    var names: [String]? { revoked.map(\.name.rawValue) }
    var failures: [String] {
        (revoked.isEmpty ? [Self.nothing] : []) + (unconfirmed.isEmpty ? [] : [unconfirmedText])
    }

    private static let nothing = "no active key is meant; nothing was to be revoked"

    private var unconfirmedText: String {
        "not confirmed by: \(unconfirmed.map(\.rawValue).joined(separator: ", ")); each ends the key's connections when the coordinator reaches it"
    }

    func table(_ layout: TextLayout) -> String {
        let names = revoked.map { "\($0.role.rawValue) '\($0.name)'" }.joined(separator: ", ")
        let ended = revoked.isEmpty ? Self.nothing + "\n" : "revoked: \(names)\n"
        return unconfirmed.isEmpty ? ended : ended + unconfirmedText + "\n"
    }
}
