internal import CaptureModel
internal import Hummingbird
internal import QRCodes
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// The keys of the rig, for administrators.
struct KeyRoutes {
    let rig: GatewayRig

    private struct Invitation: Decodable {
        var name: String
        var role: Role
    }

    /// The document of `capctl keys invite`, and its command as a QR code.
    private struct ShownInvitation: Encodable {
        var document: InvitationDocument

        private enum Key: CodingKey { case qr }

        init(_ document: InvitationDocument) { self.document = document }

        func encode(to encoder: any Encoder) throws {
            try document.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(QRCode(Array(document.command.utf8))?.rows, forKey: .qr)
        }
    }

    private struct Approval: Decodable {
        var fingerprint: String
        var name: String
        var role: Role
    }

    private struct Declining: Decodable {
        var fingerprint: String
    }

    private struct Renaming: Decodable {
        var name: String
    }

    func add(to group: RouterGroup<GatewayContext>) {
        group.get("keys") { request, context in
            try await rig.with(context.session) { client in
                let list = try await client.keys()
                let known = await client.coordinatorKey
                return try Response.json(
                    KeyListDocument(list, coordinator: list.rotation?.newKey ?? known),
                    version: list.version, to: request)
            }
        }
        group.post("keys/invitations") { request, context in
            let body = try await request.document(Invitation.self)
            let name = try Self.name(body.name, "name: ")
            let (invitation, code) = try await rig.with(context.session) { try await $0.invite(name, body.role) }
            return try Response.json(
                ShownInvitation(InvitationDocument(invitation, code: code)), status: .created)
        }
        group.delete("keys/invitations/:name") { _, context in
            let name = try Self.name(try context.parameter("name"))
            _ = try await rig.with(context.session) { try await $0.withdrawInvitation(of: name) }
            return Response(status: .noContent)
        }
        group.post("keys/approvals") { request, context in
            let body = try await request.document(Approval.self)
            let (name, prefix) = (try Self.name(body.name, "name: "), try Self.fingerprint(body.fingerprint))
            let holders = try await rig.with(context.session) { try await $0.approve(prefix, as: name, body.role) }
            return try Response.json(HoldersDocument(holders))
        }
        group.post("keys/declines") { request, context in
            let body = try await request.document(Declining.self)
            let prefix = try Self.fingerprint(body.fingerprint)
            _ = try await rig.with(context.session) { try await $0.decline(prefix) }
            return Response(status: .noContent)
        }
        group.patch("keys/:name") { request, context in
            let (old, body) = (try Self.name(try context.parameter("name")), try await request.document(Renaming.self))
            let new = try Self.name(body.name, "name: ")
            return try Response.json(
                HoldersDocument(try await rig.with(context.session) { try await $0.rename(old, to: new) }))
        }
        group.delete("keys/:name") { _, context in
            let key = try context.parameter("name")
            return try Response.json(
                HoldersDocument(try await rig.with(context.session) { try await $0.revoke(key) }))
        }
    }

    /// - Parameter place: What the problem of a name in a body begins with; that of a path is told alone.
    private static func name(_ text: String, _ place: String = "") throws -> KeyName {
        do { return try KeyName(text) } catch { throw GatewayProblem.badRequest("\(place)\(error)") }
    }

    private static func fingerprint(_ text: String) throws -> FingerprintPrefix {
        do { return try FingerprintPrefix(text) } catch { throw GatewayProblem.member("fingerprint", "\(error)") }
    }
}
