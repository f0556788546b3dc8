import CaptureModel
import RigAccess
import RigSecurity
import Testing

@Suite struct InvitationTests {
    /// How an invitation came into a state.
    enum History: String, CaseIterable {
        case open, redeemed, expired, expiredForGood, wrongClock, wrongClockForGood, withdrawn
    }

    private struct Case {
        var desk = Desk()
        var issued: IssuedInvitation
        var key: PublicKey
        var other: PublicKey

        init(_ history: History) throws {
            issued = try desk.invite("left-arm")
            key = try Desk.key(1)
            other = try Desk.key(2)
            switch history {
            case .open: break
            case .redeemed: try desk.redeem(issued.token, for: key)
            case .expired: desk.now = desk.now + .seconds(3600)
            case .expiredForGood:
                desk.now = desk.now + .seconds(3600)
                _ = desk.registry.expireInvitations(at: desk.now)
                desk.now = Desk.start
            case .wrongClock: desk.now = desk.now - .seconds(61)
            case .wrongClockForGood:
                _ = desk.registry.expireInvitations(at: desk.now - .seconds(61))
            case .withdrawn: try desk.withdraw("left-arm")
            }
        }
    }

    @Test(
        "Each state of an invitation answers a key as its table says",
        arguments: [
            (History.open, nil, nil), (.redeemed, nil, AccessError.Code.used), (.expired, .expired, .expired),
            (.expiredForGood, .expired, .expired), (.wrongClock, .wrongClock, .wrongClock),
            (.wrongClockForGood, .wrongClock, .wrongClock), (.withdrawn, .withdrawn, .withdrawn),
        ] as [(History, AccessError.Code?, AccessError.Code?)])
    func redeeming(history: History, same: AccessError.Code?, other: AccessError.Code?) throws {
        for (isSame, refusal) in [(true, same), (false, other)] {
            var test = try Case(history)
            let key = isSame ? test.key : test.other
            if let refusal {
                test.desk.refused(refusal) { try $0.redeem(test.issued.token, for: key) }
            } else {
                let outcome = try test.desk.redeem(test.issued.token, for: key)
                #expect(outcome.holder == KeyHolder(name: try KeyName("left-arm"), role: .node, key: key))
                #expect((outcome == .repeated(outcome.holder)) == (history == .redeemed))
            }
        }
    }

    @Test(
        "Only an invitation that is pending can be withdrawn",
        arguments: [
            (History.open, true), (.redeemed, false), (.expired, true), (.expiredForGood, false), (.wrongClock, true),
            (.wrongClockForGood, false), (.withdrawn, false),
        ])
    func withdrawing(history: History, isPossible: Bool) throws {
        var test = try Case(history)
        guard isPossible else {
            test.desk.refused(.notFound) { try $0.withdraw("left-arm") }
            return
        }
        let withdrawn = try test.desk.withdraw("left-arm")
        #expect(withdrawn.status(at: test.desk.now) == .withdrawn(by: Desk.anna, at: test.desk.now))
        #expect(test.desk.registry.invitations == [withdrawn])
    }

    @Test func `A code is valid for one hour, to the last nanosecond`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        let key = try Desk.key(1)
        desk.now = Desk.start + .seconds(3600) - .nanoseconds(1)
        #expect(issued.invitation.status(at: desk.now) == .open)
        var late = desk
        late.now = Desk.start + .seconds(3600)
        try desk.redeem(issued.token, for: key)
        let error = late.refused(.expired) { try $0.redeem(issued.token, for: key) }
        #expect(error?.description.contains("2026-11-25T19:00:00Z") == true)
    }

    @Test func `A clock that is corrected by a minute does not matter`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        desk.now = Desk.start - .seconds(60)
        #expect(desk.registry.expireInvitations(at: desk.now).isEmpty)
        try desk.redeem(issued.token, for: Desk.key(1))
    }

    @Test func `A code that was made while the clock was ahead is never valid later`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        desk.now = Desk.start - .seconds(86400 * 365)
        let error = desk.refused(.wrongClock) { try $0.redeem(issued.token, for: Desk.key(1)) }
        #expect(error?.description.contains("wrong clock") == true)
        #expect(error?.description.contains("2025-11-25T18:00:00Z") == true)
        let revision = desk.registry.revision
        #expect(desk.registry.expireInvitations(at: desk.now).map(\.name) == [try KeyName("left-arm")])
        #expect(desk.registry.revision == revision + 1)
        desk.now = Desk.start + .seconds(1)
        desk.refused(.wrongClock) { try $0.redeem(issued.token, for: Desk.key(1)) }
        #expect(desk.registry.expireInvitations(at: desk.now).isEmpty)
        #expect(desk.registry.revision == revision + 1)
    }

    @Test func `A repeated redeem after a lost answer gives the same admission, also after the hour`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        let key = try Desk.key(1)
        let first = try desk.redeem(issued.token, for: key)
        #expect(first == .admitted(first.holder))
        let after = desk.registry
        for wait in [1, 3599, 7200, -7200] {
            desk.now = Desk.start + .seconds(wait)
            #expect(try desk.redeem(issued.token, for: key) == .repeated(first.holder))
            _ = desk.registry.expireInvitations(at: desk.now)
        }
        #expect(desk.registry == after)
        let renamed = try desk.registry.rename(KeyName("left-arm"), to: KeyName("right-arm"))
        #expect(try desk.redeem(issued.token, for: key) == .repeated(try #require(renamed.first)))
    }

    @Test func `A code that was redeemed does not bring a revoked key back`() throws {
        var desk = Desk { $0.revokedKeys = 0 }
        var remembering = Desk()
        for history in 0...1 {
            var test = history == 0 ? desk : remembering
            let issued = try test.invite("left-arm")
            let key = try Desk.key(1)
            try test.redeem(issued.token, for: key)
            try test.revoke("left-arm")
            test.refused(.revoked) { try $0.redeem(issued.token, for: key) }
            test.refused(.used) { try $0.redeem(issued.token, for: Desk.key(2)) }
            if history == 0 { desk = test } else { remembering = test }
        }
        #expect(desk.registry.keys.isEmpty && remembering.registry.keys.count == 1)
    }

    @Test func `Somebody who learns of a used code is told by whom it was used, and what to do`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        let thief = try Desk.key(1)
        try desk.redeem(issued.token, for: thief)
        let error = desk.refused(.used) { try $0.redeem(issued.token, for: Desk.key(2)) }
        #expect(error?.description.contains("\(thief.fingerprint)") == true)
        #expect(error?.remedy.contains("capctl keys revoke left-arm") == true)
    }

    @Test func `A guess and a code of another rig are not known`() throws {
        var desk = Desk()
        _ = try desk.invite("left-arm")
        var other = Desk()
        other.generator = SplitMix64(seed: 2)
        let foreign = try other.invite("left-arm")
        let error = desk.refused(.unknownCode) { try $0.redeem(foreign.token, for: Desk.key(1)) }
        #expect(error?.description.contains("another rig") == true)
    }

    @Test func `Another invitation of one name withdraws the earlier one`() throws {
        var desk = Desk()
        let lost = try desk.invite("left-arm")
        #expect(lost.replaced == nil)
        let issued = try desk.invite("left-arm", role: .viewer)
        #expect(issued.replaced?.issuedAt == lost.invitation.issuedAt)
        desk.refused(.withdrawn) { try $0.redeem(lost.token, for: Desk.key(1)) }
        #expect(try desk.redeem(issued.token, for: Desk.key(1)).holder.role == .viewer)
    }

    @Test func `Two machines do not get one name`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        try desk.admit(9, as: "left-arm")
        desk.refused(.nameTaken) { try $0.redeem(issued.token, for: Desk.key(1)) }
        desk.refused(.nameTaken) { _ = try $0.invite("left-arm", role: .viewer) }
        try desk.revoke("left-arm")
        #expect(try desk.redeem(issued.token, for: Desk.key(1)).holder.name == KeyName("left-arm"))
    }

    @Test func `A copied disk is refused with the name of its original`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "left-arm")
        let issued = try desk.invite("right-arm")
        let error = desk.refused(.keyInUse) { try $0.redeem(issued.token, for: key) }
        #expect(error?.description.contains("'left-arm'") == true)
        #expect(error?.remedy.contains("copied disk") == true)
        #expect(try desk.redeem(issued.token, for: Desk.key(2)).holder.key == Desk.key(2))
    }

    @Test(arguments: ["coordinator", "unnamed"]) func `A name that logs use otherwise is refused`(name: String) throws {
        var desk = Desk()
        desk.refused(.reservedName) { _ = try $0.invite(name) }
        desk.refused(.reservedName) { try $0.request(name, for: Desk.key(1)) }
        desk.refused(.reservedName) { try $0.admit(1, as: name) }
    }

    @Test func `Open invitations are limited, and others are not counted`() throws {
        var desk = Desk { $0.openInvitations = 3 }
        for index in 0..<3 { _ = try desk.invite("node-\(index)") }
        let error = desk.refused(.full) { _ = try $0.invite("node-3") }
        #expect(error?.remedy.contains("withdraw") == true)
        _ = try desk.invite("node-2")
        try desk.withdraw("node-0")
        _ = try desk.invite("node-3")
        desk.refused(.full) { _ = try $0.invite("node-4") }
        desk.now = desk.now + .seconds(3600)
        for index in 4..<7 { _ = try desk.invite("node-\(index)") }
    }

    @Test func `Of settled invitations the oldest is forgotten, and open ones stay`() throws {
        var desk = Desk { ($0.invitations, $0.openInvitations) = (4, 2) }
        let kept = try desk.invite("kept")
        let first = try desk.invite("name-0")
        for index in 1..<6 {
            try desk.withdraw("name-\(index - 1)")
            _ = try desk.invite("name-\(index)")
        }
        #expect(desk.registry.invitations.map(\.name.rawValue) == ["kept", "name-3", "name-4", "name-5"])
        #expect(desk.registry.counters.forgottenInvitations == 3)
        desk.refused(.unknownCode) { try $0.redeem(first.token, for: Desk.key(1)) }
        try desk.redeem(kept.token, for: Desk.key(1))
    }
}
