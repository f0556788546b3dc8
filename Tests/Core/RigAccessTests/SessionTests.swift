import CaptureModel
import RigAccess
import RigSecurity
import Testing

@Suite struct SessionTests {
    private struct Case {
        var desk = Desk()
        let anna: PublicKey

        init(_ change: (inout KeyRegistry.Limits) -> Void = { _ in }) throws {
            desk = Desk(change)
            try desk.admit(1, as: "studio", role: .admin)
            anna = try desk.admit(2, as: "anna", role: .operator)
        }

        mutating func issue(
            _ kind: Session.Kind = .token, _ permissions: Set<Permission> = [.view, .trigger],
            label: String = "wall", for validity: Duration = .seconds(3600)
        ) throws -> IssuedSession {
            let request = KeyRegistry.SessionRequest(
                kind: kind, label: label, permissions: permissions, validity: validity)
            return try desk.registry.issueSession(
                request, maker: anna, allowed: Role.operator.permissions, at: desk.now, secret: SessionSecret())
        }

        func grant(_ issued: IssuedSession) -> SessionGrant? {
            desk.registry.snapshot().grant(of: issued.secret, at: desk.now)
        }
    }

    @Test func `A token acts for its maker with the permissions that it was given`() throws {
        var test = try Case()
        let issued = try test.issue()
        let grant = try #require(test.grant(issued))
        #expect(grant.holder.name.rawValue == "anna" && grant.permissions == [.view, .trigger])
        #expect(test.desk.registry.snapshot().grant(of: SessionSecret(), at: test.desk.now) == nil)
    }

    @Test func `A sign-in link permits nothing itself, and makes one session`() throws {
        var test = try Case()
        let link = try test.issue(.link, for: .seconds(86_400))
        #expect(test.grant(link) == nil)
        let session = try test.desk.registry.redeemLink(link.secret, at: test.desk.now, secret: SessionSecret())
        #expect(session.session.kind == .browser && session.session.label == "wall")
        #expect(test.grant(session)?.permissions == [.view, .trigger])
        #expect(session.session.expiresAt == test.desk.now + .seconds(86_400))
        test.desk.refused(.unknownCode) {
            _ = try $0.registry.redeemLink(link.secret, at: $0.now, secret: SessionSecret())
        }
        #expect(test.desk.registry.sessions.map(\.id) == [session.session.id])
    }

    @Test func `A link is of no use after ten minutes, and a session after its time`() throws {
        var test = try Case()
        let link = try test.issue(.link)
        let token = try test.issue(.token, for: .seconds(600))
        test.desk.now = Desk.start + .seconds(599)
        #expect(test.grant(token) != nil)
        test.desk.now = Desk.start + .seconds(600)
        #expect(test.grant(token) == nil)
        test.desk.refused(.expired) {
            _ = try $0.registry.redeemLink(link.secret, at: $0.now, secret: SessionSecret())
        }
        #expect(test.desk.registry.expireSessions(at: test.desk.now).count == 2)
        #expect(test.desk.registry.sessions.isEmpty)
    }

    @Test func `A clock that is set back to before its issue makes a session invalid, and not for ever`() throws {
        var test = try Case()
        let token = try test.issue()
        test.desk.now = Desk.start - .seconds(61)
        #expect(test.grant(token) == nil)
        #expect(test.desk.registry.expireSessions(at: test.desk.now).isEmpty)
        test.desk.now = Desk.start - .seconds(59)
        #expect(test.grant(token) != nil)
    }

    @Test func `Sessions end with the key of their maker, and follow it when it is replaced`() throws {
        var test = try Case()
        let token = try test.issue()
        let new = try Desk.key(3)
        try test.desk.rotate("anna", to: new)
        _ = test.desk.registry.confirmRotation(by: new, at: test.desk.now)
        #expect(test.grant(token)?.holder.key == new)
        _ = try test.desk.registry.rename(KeyName("anna"), to: KeyName("anna-2"))
        #expect(test.grant(token)?.holder.name.rawValue == "anna-2")
        try test.desk.revoke("anna-2")
        #expect(test.grant(token) == nil)
        #expect(test.desk.registry.sessions.isEmpty)
    }

    @Test func `A session has no permission that its maker lacks`() throws {
        var test = try Case()
        test.desk.refused(.notHeld) { desk in
            _ = try desk.registry.issueSession(
                .init(kind: .token, label: "keys", permissions: [.view, .admin], validity: .seconds(60)),
                maker: try Desk.key(2), allowed: Role.operator.permissions, at: desk.now, secret: SessionSecret())
        }
        let token = try test.issue(.token, [.view])
        let narrowed = SessionGrant(
            session: token.session,
            holder: KeyHolder(name: try KeyName("anna"), role: .node, key: test.anna))
        #expect(narrowed.permissions.isEmpty, "the role of now counts too")
    }

    @Test(arguments: [
        KeyRegistry.SessionRequest(kind: .token, label: "", permissions: [.view], validity: .seconds(60)),
        .init(kind: .token, label: String(repeating: "x", count: 65), permissions: [.view], validity: .seconds(60)),
        .init(kind: .token, label: "a\u{1B}b", permissions: [.view], validity: .seconds(60)),
        .init(kind: .token, label: "a", permissions: [], validity: .seconds(60)),
        .init(kind: .token, label: "a", permissions: [.view], validity: .seconds(59)),
        .init(kind: .link, label: "a", permissions: [.view], validity: .seconds(401 * 86_400)),
        .init(kind: .browser, label: "a", permissions: [.view], validity: .seconds(60)),
    ])
    func `What cannot be a session is refused`(request: KeyRegistry.SessionRequest) throws {
        var test = try Case()
        let anna = test.anna
        test.desk.refused(.badSession) { desk in
            _ = try desk.registry.issueSession(
                request, maker: anna, allowed: Role.admin.permissions, at: desk.now, secret: SessionSecret())
        }
    }

    @Test func `A key has a bounded number of sessions, and those whose time has passed make room`() throws {
        var test = try Case { $0.sessionsOfKey = 2 }
        _ = try test.issue(for: .seconds(60))
        _ = try test.issue()
        #expect(throws: AccessError.self) { try test.issue() }
        test.desk.now = Desk.start + .seconds(60)
        _ = try test.issue()
        #expect(test.desk.registry.sessions.count == 2)
    }

    @Test func `Sessions that a wrong clock has made in the future leave room, also for other keys`() throws {
        var test = try Case { ($0.sessionsOfKey, $0.sessions) = (2, 3) }
        test.desk.now = Desk.start + .seconds(365 * 86_400)
        let early = [try test.issue(), try test.issue()]
        #expect(throws: AccessError.self) { try test.issue() }
        test.desk.now = Desk.start
        #expect(early.allSatisfy { test.grant($0) == nil })
        let later = [try test.issue(), try test.issue()]
        #expect(later.allSatisfy { test.grant($0) != nil })
        #expect(test.desk.registry.sessions.count <= 3)
        #expect(throws: AccessError.self) { try test.issue() }
    }

    @Test func `A link that a wrong clock has made in the future is refused with the clock as the reason`() throws {
        var test = try Case()
        test.desk.now = Desk.start + .seconds(3600)
        let link = try test.issue(.link)
        test.desk.now = Desk.start
        let error = #expect(throws: AccessError.self) {
            try test.desk.registry.redeemLink(link.secret, at: test.desk.now, secret: SessionSecret())
        }
        let told = "\(try #require(error))"
        #expect(told.contains("is valid from") && told.contains("set the coordinator's clock"), "\(told)")
    }

    @Test func `A maker ends its own sessions only, and an admin any`() throws {
        var test = try Case()
        let token = try test.issue().session
        let studio = try Desk.key(1)
        test.desk.refused(.notFound) { _ = try $0.registry.endSession(token.id, of: studio) }
        #expect(try test.desk.registry.endSession(token.id, of: nil) == token)
        test.desk.refused(.notFound) { _ = try $0.registry.endSession(token.id, of: nil) }
    }

    @Test func `Sessions are stored without their secrets, and read again`() throws {
        var test = try Case()
        let issued = [try test.issue(), try test.issue(.link, for: .seconds(90))]
        let bytes = try KeyRegistryDocument.encoded(test.desk.registry)
        let text = String(decoding: bytes, as: UTF8.self)
        for session in issued { #expect(!text.contains(session.secret.text.dropFirst(SessionSecret.prefix.count))) }
        let read = try KeyRegistryDocument.decode(bytes)
        #expect(read == test.desk.registry)
        #expect(read.snapshot().grant(of: issued[0].secret, at: test.desk.now) == test.grant(issued[0]))
    }

    @Test func `The text of a secret is read in one form only`() throws {
        let secret = SessionSecret()
        #expect(SessionSecret(text: secret.text) == secret)
        let last = try #require(secret.text.last)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let place = try #require(alphabet.firstIndex(of: last))
        // The last character has two bits that are not used.
        let other = secret.text.dropLast() + String(alphabet[place ^ 1])
        for text in [
            String(other), "", "caprig_", String(secret.text.dropLast()), secret.text + "A", "x" + secret.text,
        ] {
            #expect(SessionSecret(text: text) == nil, "\(text)")
        }
    }
}
