import CaptureModel
import PosixSupport
import RigDocuments
import RigSecurity
import Testing

@testable import RigClient

@Suite struct KeyDocumentTests {
    private let holder: KeyHolder
    private let key: PublicKey
    private let date = UTCDate(realtimeNanoseconds: 1_795_256_143_250_000_000)

    init() throws {
        key = try #require(PublicKey(bytes: Array(UInt8(1)...32)))
        holder = KeyHolder(name: try KeyName("anna"), role: .operator, key: key)
    }

    private var invitation: KeyInvitation {
        KeyInvitation(
            name: holder.name, role: .node, issuedBy: "bert", issuedAt: date, expiresAt: date, state: .open)
    }

    private var rotation: KeyRotation {
        KeyRotation(newKey: key, oldKey: key, isOldServed: true, unconfirmed: [holder])
    }

    @Test("Lists keys, what is pending, and the revision as a string") func list() throws {
        let list = KeyList(
            keys: [
                AdmittedKey(
                    holder: holder, means: "invitation", admittedBy: "bert", admittedAt: date,
                    revocation: .init(by: "carl", at: date))
            ],
            invitations: [invitation],
            requests: [KeyRequest(name: holder.name, role: .node, key: key, askedAt: date, isDeclined: false)],
            revision: .max, rotation: rotation)
        let read = try ReadDocument(KeyListDocument(list, coordinator: key))
        #expect(
            read.members() == ["coordinator", "invitations", "keys", "requests", "revision", "rotation"])
        #expect(read.members(of: "coordinator") == ["fingerprint", "key"])
        #expect(
            read.members(of: "keys[]") == [
                "admitted", "admittedBy", "fingerprint", "means", "name", "revoked", "revokedBy", "role",
            ])
        #expect(read.members(of: "invitations[]") == ["expires", "issuedBy", "name", "role", "state"])
        #expect(read.members(of: "requests[]") == ["asked", "declined", "fingerprint", "name", "role"])
        #expect(read.members(of: "rotation") == ["newKey", "oldKey", "oldKeyIsServed", "unconfirmed"])
        #expect(read.texts("revision") == ["18446744073709551615"] && read.numbers.isEmpty)
    }

    @Test("Says what to run on the machine that is invited") func invited() throws {
        let code = try JoinCode(
            endpoints: [JoinEndpoint("192.168.10.1:7715")], coordinator: key,
            token: try #require(JoinToken(bytes: Array(UInt8(100)..<116))), name: holder.name, role: .node,
            rig: try RigName("studio"))
        let document = InvitationDocument(invitation, code: code)
        let read = try ReadDocument(document)
        #expect(read.members() == ["code", "command", "expires", "name", "rig", "role"])
        #expect(document.command == "capagentd join \(code.text)" && read.texts("command") == [document.command])
    }

    @Test("Names the holders that a change concerns") func changes() throws {
        #expect(
            try ReadDocument(HoldersDocument([holder])).members(of: "keys[]") == ["fingerprint", "name", "role"])
        let revoked = try ReadDocument(RevocationDocument([holder], unconfirmed: [try NodeName("n1")]))
        #expect(revoked.texts("revoked[].name") == ["anna"] && revoked.texts("unconfirmed[]") == ["n1"])
        let rotated = try ReadDocument(RotationDocument(rotation, isEnded: true))
        #expect(rotated.values.contains { $0 == ("oldKeyIsServed", .flag(false)) })
        #expect(rotated.texts("unconfirmed[].role") == ["operator"])
    }
}
