import CaptureModel
import RigAccess
import RigSecurity
import Testing

@Suite struct RotationTests {
    private struct Case {
        var desk = Desk()
        let old: PublicKey
        let new: PublicKey

        init() throws {
            old = try desk.admit(1, as: "left-arm")
            new = try Desk.key(2)
            try desk.rotate("left-arm", to: new)
        }

        func isActive(_ key: PublicKey) -> Bool? { desk.registry.record(of: key)?.isActive }
    }

    @Test func `Both keys are valid during a rotation`() throws {
        let test = try Case()
        let snapshot = test.desk.registry.snapshot()
        for key in [test.old, test.new] {
            let holder = KeyHolder(name: try KeyName("left-arm"), role: .node, key: key)
            #expect(snapshot.decide(domain: .control, key: key) == .admit(.holder(holder)))
        }
        #expect(test.desk.registry.record(of: test.new)?.admission.means == .rotation)
    }

    @Test func `The use of the new key ends the old one`() throws {
        var test = try Case()
        #expect(test.desk.registry.confirmRotation(by: test.old, at: test.desk.now) == nil)
        #expect(test.isActive(test.old) == true)
        let ended = test.desk.registry.confirmRotation(by: test.new, at: test.desk.now)
        #expect(ended?.key == test.old)
        guard case .revoked(let revocation) = test.desk.registry.record(of: test.old)?.state else {
            Issue.record("the old key is valid")
            return
        }
        #expect(revocation.replacement == test.new)
        #expect(revocation.by == Principal(recorded: "left-arm", isAuthenticated: true))
        let after = test.desk.registry
        #expect(test.desk.registry.confirmRotation(by: test.new, at: test.desk.now) == nil)
        #expect(test.desk.registry == after)
    }

    @Test(arguments: [KeyRegistry.RotationEnd.new, .old])
    func `An admin ends a rotation with either key`(end: KeyRegistry.RotationEnd) throws {
        var test = try Case()
        let ended = try test.desk.registry.endRotation(
            of: KeyName("left-arm"), keeping: end, by: Desk.anna, at: test.desk.now)
        #expect(ended.key == (end == .new ? test.old : test.new))
        #expect(test.isActive(test.old) == (end == .old))
        #expect(test.isActive(test.new) == (end == .new))
        test.desk.refused(.notRotating) { desk in
            _ = try desk.registry.endRotation(of: KeyName("left-arm"), keeping: end, by: Desk.anna, at: desk.now)
        }
        try test.desk.rotate("left-arm", to: Desk.key(3))
    }

    @Test func `Revoking the name revokes both keys, and revoking one leaves the other`() throws {
        var both = try Case()
        #expect(try both.desk.revoke("left-arm").count == 2)
        #expect(both.isActive(both.old) == false && both.isActive(both.new) == false)
        for isOld in [true, false] {
            var one = try Case()
            try one.desk.revoke("\(isOld ? one.old : one.new)")
            #expect(one.isActive(one.old) == !isOld && one.isActive(one.new) == isOld)
            #expect(one.desk.registry.confirmRotation(by: isOld ? one.new : one.old, at: one.desk.now) == nil)
            try one.desk.rotate("left-arm", to: Desk.key(3))
        }
    }

    @Test func `A repeated rotation is the same, and another one waits`() throws {
        var test = try Case()
        let after = test.desk.registry
        let outcome = try test.desk.rotate("left-arm", to: test.new)
        #expect(outcome == .repeated(KeyHolder(name: try KeyName("left-arm"), role: .node, key: test.new)))
        #expect(test.desk.registry == after)
        test.desk.refused(.rotating) { try $0.rotate("left-arm", to: Desk.key(3)) }
    }

    @Test func `A rotation needs a key that nobody had, and a name that has one`() throws {
        var desk = Desk()
        let left = try desk.admit(1, as: "left-arm")
        let right = try desk.admit(2, as: "right-arm")
        try desk.admit(3, as: "gone")
        try desk.revoke("gone")
        desk.refused(.keyInUse) { try $0.rotate("left-arm", to: right) }
        desk.refused(.keyInUse) { try $0.rotate("left-arm", to: left) }
        desk.refused(.revoked) { try $0.rotate("left-arm", to: Desk.key(3)) }
        desk.refused(.notFound) { try $0.rotate("gone", to: Desk.key(4)) }
        desk.refused(.notFound) { try $0.rotate("nobody", to: Desk.key(4)) }
    }

    @Test func `Both keys are renamed together`() throws {
        var test = try Case()
        let renamed = try test.desk.registry.rename(KeyName("left-arm"), to: KeyName("head"))
        #expect(renamed.map(\.key) == [test.old, test.new])
        #expect(test.desk.registry.confirmRotation(by: test.new, at: test.desk.now)?.name == (try KeyName("head")))
        test.desk.refused(.nameTaken) { try $0.admit(5, as: "head") }
    }
}
