import CaptureModel
import FoundationEssentials
import RigAccess
import RigSecurity
import Testing

@Suite struct KeyRegistryDocumentTests {
    /// A registry with every kind of entry.
    private func sample() throws -> KeyRegistry {
        var desk = Desk()
        try desk.admit(1, as: "studio", role: .admin)
        try desk.redeem(desk.invite("left-arm").token, for: Desk.key(2))
        try desk.request("wall", for: Desk.key(3), role: .viewer)
        try desk.approve(Desk.key(3), as: "wall", role: .viewer)
        desk.now = desk.now + .seconds(1)
        try desk.revoke("wall")
        try desk.rotate("left-arm", to: Desk.key(4))
        _ = try desk.invite("late", role: .operator)
        desk.now = desk.now + .seconds(3600)
        _ = desk.registry.expireInvitations(at: desk.now)
        _ = try desk.invite("lost", role: .dashboard)
        try desk.withdraw("lost")
        _ = try desk.invite("right-arm")
        return desk.registry
    }

    @Test func `A registry is written as documented`() throws {
        #expect(try String(decoding: KeyRegistryDocument.encoded(sample()), as: UTF8.self) == Self.document)
    }

    @Test func `A committed document is read, with all that it says`() throws {
        let registry = try KeyRegistryDocument.decode(Array(Self.document.utf8))
        #expect(registry == (try sample()))
        var desk = Desk()
        desk.registry = registry
        desk.now = Desk.start + .seconds(3602)
        #expect(desk.registry.confirmRotation(by: try Desk.key(4), at: desk.now)?.key == (try Desk.key(2)))
        desk.refused(.nameTaken) { _ = try $0.invite("left-arm") }
    }

    @Test func `An empty registry is a document too`() throws {
        let empty = KeyRegistry()
        #expect(try KeyRegistryDocument.decode(KeyRegistryDocument.encoded(empty)) == empty)
    }

    @Test func `A document of a newer version is refused with a sentence`() throws {
        let document = Self.document.replacing("\"schemaVersion\" : 1", with: "\"schemaVersion\" : 2")
        let error = failure(document)
        #expect(error?.code == .newerDocument)
        #expect(
            error?.description
                == "it has schema version 2, and this program reads up to 1; use the version of this program that wrote "
                + "it; it was not changed")
        // Also if nothing else in it is known.
        #expect(failure(#"{"schemaVersion":3,"keys":{}}"#)?.code == .newerDocument)
    }

    @Test(
        "A damaged document is refused, and says that it was not changed",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"schemaVersion":1}"#,
            #"{"schemaVersion":0,"revision":1,"keys":[],"invitations":[]}"#,
            #"{"schemaVersion":-1,"revision":1,"keys":[],"invitations":[]}"#,
            #"{"schemaVersion":1,"revision":18446744073709551615,"keys":[],"invitations":[]}"#,
            #"{"schemaVersion":1,"revision":-1,"keys":[],"invitations":[]}"#, "\u{0}\u{0}\u{0}",
        ])
    func damaged(document: String) {
        let error = failure(document)
        #expect(error?.code == .damagedDocument)
        #expect(error?.remedy.contains("restore it from a copy; it was not changed") == true)
    }

    @Test(
        "A document that breaks a rule is refused with the rule",
        arguments: [
            (#""name" : "studio""#, #""name" : "left-arm""#, "do not belong together"),
            (#""name" : "studio""#, #""name" : "coordinator""#, "cannot be the name"),
            (#""name" : "studio""#, #""name" : "../studio""#, "cannot be a key name"),
            (#""name" : "late""#, #""name" : "right-arm""#, nil),
            (#""role" : "admin""#, #""role" : "king""#, "king"),
            (#""means" : "direct""#, #""means" : "magic""#, "magic"),
            (#""name" : "anna""#, #""name" : """#, "form that is not allowed"),
            ("\"key\" : \"\(studio)\"", "\"key\" : \"\(left)\"", "is there twice"),
            ("\"rotatesFrom\" : \"\(left)\"", "\"rotatesFrom\" : \"\(studio)\"", "do not belong together"),
            (
                #""tokenHash" : "anpkIrC9QbyKZcmcH93JPb06V6gqLZY6c8Ss4F4vezE=""#,
                #""tokenHash" : "ebcjbM+LMGDTsIhoi45v509T/ov2Ki4+DgbY87Pbb0M=""#, "an invitation is there twice"
            ),
            (#""withdrawn" : {"#, #""expired" : { "isWrongClock" : true }, "withdrawn" : {"#, "more than one outcome"),
            (#""revoked" : {"#, "\"rotatesFrom\" : \"\(left)\", \"revoked\" : {", "is revoked and replaces another"),
            (
                #""means" : "rotation", "name" : "left-arm", "role" : "node""#,
                #""means" : "rotation", "name" : "left-arm", "role" : "viewer""#, "two roles"
            ),
        ] as [(String, String, String?)])
    func rules(text: String, replacement: String, reason: String?) {
        // On one line, so that a text can have several members.
        let original = Self.document.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(original.contains(text))
        let document = original.replacing(text, with: replacement)
        guard let reason else {
            // Several invitations of one name are fine while one of them is pending.
            #expect(throws: Never.self) { try KeyRegistryDocument.decode(Array(document.utf8)) }
            return
        }
        let error = failure(document)
        #expect(error?.code == .damagedDocument)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `Two pending invitations of one name are refused`() {
        let document = Self.document.replacing("\"expired\"", with: "\"ignored\"")
            .replacing("\"late\"", with: "\"right-arm\"")
        #expect(failure(document)?.description.contains("two pending invitations") == true)
    }

    @Test func `Every cut of a document is refused`() {
        for length in 0..<(Self.document.utf8.count - 2) {
            #expect(failure(String(Self.document.prefix(length)))?.code == .damagedDocument)
        }
    }

    @Test func `A document beyond the limits is refused`() throws {
        var limits = KeyRegistry.Limits()
        limits.keys = 2
        let error = #expect(throws: AccessError.self) {
            try KeyRegistryDocument.decode(Array(Self.document.utf8), limits: limits)
        }
        #expect(error?.code == .damagedDocument)
        let long = [UInt8](repeating: 0x20, count: KeyRegistryDocument.longest + 1)
        #expect(throws: AccessError.self) { try KeyRegistryDocument.decode(long) }
    }

    @Test func `A document has no secret`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        let document = try String(decoding: KeyRegistryDocument.encoded(desk.registry), as: UTF8.self)
        #expect(document.contains(Data(issued.token.hash.bytes).base64EncodedString()))
        #expect(!document.contains(Data(issued.token.bytes).base64EncodedString().prefix(20)))
    }

    @Test func `A registry that is as large as allowed fits into a document`() throws {
        var desk = Desk()
        desk.generator = SplitMix64(seed: 5)
        for seed in 0..<200 as Range<UInt64> { try desk.admit(seed, as: "a-name-of-24-bytes-\(10000 + seed)") }
        let bytes = try KeyRegistryDocument.encoded(desk.registry).count
        let perKey = bytes / 200 + 1
        let limits = KeyRegistry.Limits()
        // A revoked key has about twice the members of an active one, and names of principals have up to 128 bytes.
        #expect(
            perKey * limits.keys + (2 * perKey + 256) * limits.revokedKeys + 1024 * limits.invitations
                < KeyRegistryDocument.longest)
    }

    private func failure(_ document: String) -> AccessError? {
        #expect(throws: AccessError.self) { try KeyRegistryDocument.decode(Array(document.utf8)) }
    }
}

private let studio = "wWdeC7mApXWolmH+wIqoO2Px7ghGnM2sn/c1qyeKhLo="
private let left = "zkIvZCmzhoP/bDV3Ya7zGRLUUtXBHbGW5FKOIC2COVU="

extension KeyRegistryDocumentTests {
    static let document = """
        {
          "invitations" : [
            {
              "issuedAtNanoseconds" : 1795629600000000000,
              "issuedBy" : {
                "isAuthenticated" : true,
                "name" : "anna"
              },
              "name" : "left-arm",
              "redeemed" : {
                "atNanoseconds" : 1795629600000000000,
                "by" : "zkIvZCmzhoP/bDV3Ya7zGRLUUtXBHbGW5FKOIC2COVU="
              },
              "role" : "node",
              "tokenHash" : "ebcjbM+LMGDTsIhoi45v509T/ov2Ki4+DgbY87Pbb0M="
            },
            {
              "expired" : {
                "isWrongClock" : false
              },
              "issuedAtNanoseconds" : 1795629601000000000,
              "issuedBy" : {
                "isAuthenticated" : true,
                "name" : "anna"
              },
              "name" : "late",
              "role" : "operator",
              "tokenHash" : "1UvmWMfCw7V3dToDtEbZ7qsM6riDW0e+EmvnlwDUzH8="
            },
            {
              "issuedAtNanoseconds" : 1795633201000000000,
              "issuedBy" : {
                "isAuthenticated" : true,
                "name" : "anna"
              },
              "name" : "lost",
              "role" : "dashboard",
              "tokenHash" : "anpkIrC9QbyKZcmcH93JPb06V6gqLZY6c8Ss4F4vezE=",
              "withdrawn" : {
                "atNanoseconds" : 1795633201000000000,
                "by" : {
                  "isAuthenticated" : true,
                  "name" : "anna"
                }
              }
            },
            {
              "issuedAtNanoseconds" : 1795633201000000000,
              "issuedBy" : {
                "isAuthenticated" : true,
                "name" : "anna"
              },
              "name" : "right-arm",
              "role" : "node",
              "tokenHash" : "4kGMg4YUDNSB9qJWg0npJRlp5WkZVdtnoLgdTHlYnHM="
            }
          ],
          "keys" : [
            {
              "admittedAtNanoseconds" : 1795629600000000000,
              "admittedBy" : {
                "isAuthenticated" : true,
                "name" : "anna"
              },
              "key" : "zkIvZCmzhoP/bDV3Ya7zGRLUUtXBHbGW5FKOIC2COVU=",
              "means" : "invitation",
              "name" : "left-arm",
              "role" : "node"
            },
            {
              "admittedAtNanoseconds" : 1795629601000000000,
              "admittedBy" : {
                "isAuthenticated" : true,
                "name" : "anna"
              },
              "key" : "yjBfnrnhXlLJBSL5vDgpUTvkhnpUkXIL0A3971rRTqA=",
              "means" : "rotation",
              "name" : "left-arm",
              "role" : "node",
              "rotatesFrom" : "zkIvZCmzhoP/bDV3Ya7zGRLUUtXBHbGW5FKOIC2COVU="
            },
            {
              "admittedAtNanoseconds" : 1795629600000000000,
              "admittedBy" : {
                "isAuthenticated" : true,
                "name" : "coordinator"
              },
              "key" : "wWdeC7mApXWolmH+wIqoO2Px7ghGnM2sn/c1qyeKhLo=",
              "means" : "direct",
              "name" : "studio",
              "role" : "admin"
            },
            {
              "admittedAtNanoseconds" : 1795629600000000000,
              "admittedBy" : {
                "isAuthenticated" : true,
                "name" : "anna"
              },
              "key" : "7YkBz5YHuBZ6csx/9MNc6ub1qC0yxpPRlPXUvddQcaE=",
              "means" : "approval",
              "name" : "wall",
              "revoked" : {
                "atNanoseconds" : 1795629601000000000,
                "by" : {
                  "isAuthenticated" : true,
                  "name" : "anna"
                }
              },
              "role" : "viewer"
            }
          ],
          "revision" : 11,
          "schemaVersion" : 1
        }

        """
}
