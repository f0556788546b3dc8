import CaptureModel
import CaptureTestSupport
import RigAccess
import RigSecurity
import RigTestSupport
import StorageKit
import Testing

@Suite struct AccessControlTests {
    private let stage = ControlStage()
    private let full = StorageError(.noSpace, "write", "keys.json", "the disk of keys.json is full; delete something")

    @Test func `A key that is admitted is still known after a restart`() async throws {
        let control = try await stage.control()
        let key = try Desk.key(1)
        let outcome = try await control.admit(key, as: KeyName("left-arm"), role: .node, by: .coordinator)
        #expect(outcome == .admitted(KeyHolder(name: try KeyName("left-arm"), role: .node, key: key)))
        #expect(control.snapshot.decide(domain: .control, key: key).isAdmission)
        let restarted = try await stage.control()
        #expect(restarted.snapshot == control.snapshot)
    }

    @Test func `Nobody is admitted before the record and the registry are durable`() async throws {
        let control = try await stage.control()
        let key = try Desk.key(1)
        stage.audit.onCommit { _ in
            #expect(!control.snapshot.decide(domain: .control, key: key).isAdmission)
        }
        await stage.store.hold()
        async let admitted = control.admit(key, as: KeyName("left-arm"), role: .node, by: .coordinator)
        await stage.store.hasBegunToWrite()
        #expect(stage.audit.events.count == 1)
        #expect(control.snapshot.decide(domain: .control, key: key) == .refuse(.unknown))
        await stage.store.release()
        _ = try await admitted
        #expect(control.snapshot.decide(domain: .control, key: key).isAdmission)
    }

    @Test func `A full disk refuses an admission, and the log says that it did not happen`() async throws {
        let control = try await stage.control()
        await stage.store.fail(full)
        let error = await #expect(throws: AccessError.self) {
            try await control.admit(Desk.key(1), as: KeyName("left-arm"), role: .node, by: .coordinator)
        }
        #expect(error?.code == .notStored && error?.description.contains("the disk of keys.json is full") == true)
        #expect(control.snapshot.revision == 0)
        guard case .undone(.admitted(let holder, _), _) = stage.audit.events.last else {
            Issue.record("the log ends with \(String(describing: stage.audit.events.last))")
            return
        }
        #expect(holder.name.rawValue == "left-arm")
        await stage.store.fail(nil)
        _ = try await control.admit(Desk.key(1), as: KeyName("left-arm"), role: .node, by: .coordinator)
        #expect(try await stage.storedKeys() == ["left-arm"])
    }

    @Test func `Of changes at once that depend on the same state of the registry, one is made`() async throws {
        let control = try await stage.control()
        let key = try Desk.key(1)
        _ = try await control.admit(key, as: KeyName("left-arm"), role: .node, by: .coordinator)
        let seen = await control.registry.revision
        let codes = try await withThrowingTaskGroup(of: AccessError.Code?.self) { group in
            for name in ["a", "b", "c", "d"] {
                let (old, new) = (try KeyName("left-arm"), try KeyName(name))
                group.addTask {
                    do throws(AccessError) {
                        _ = try await control.rename(old, to: new, by: .coordinator) {
                            (registry, _) throws(AccessError) in registry.revision == seen
                        }
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .preconditionFailed } == 3, "\(codes)")
        #expect(await control.registry.revision == seen + 1)
    }

    @Test func `A change whose condition does not hold is neither recorded nor stored`() async throws {
        let control = try await stage.control()
        _ = try await control.admit(Desk.key(1), as: KeyName("left-arm"), role: .node, by: .coordinator)
        let (stored, recorded) = (await stage.store.read(), stage.audit.events.count)
        let name = try KeyName("left-arm")
        let prefix = try FingerprintPrefix("\(Desk.key(1))")
        let never: AccessControl.Condition = { (_, _) throws(AccessError) in false }
        let changes: [() async throws -> Void] = [
            { _ = try await control.invite(KeyName("guest"), role: .viewer, by: .coordinator, if: never) },
            { _ = try await control.withdrawInvitation(of: name, by: .coordinator, if: never) },
            { _ = try await control.approve(prefix, as: name, role: .node, by: .coordinator, if: never) },
            { _ = try await control.decline(prefix, by: .coordinator, if: never) },
            { _ = try await control.revoke("left-arm", by: .coordinator, if: never) },
            { _ = try await control.rename(name, to: name, by: .coordinator, if: never) },
        ]
        for change in changes {
            let error = await #expect(throws: AccessError.self) { try await change() }
            #expect(error?.code == .preconditionFailed)
        }
        #expect(await stage.store.read() == stored && stage.audit.events.count == recorded)
    }

    @Test func `Without an audit log nobody is admitted or invited`() async throws {
        let control = try await stage.control()
        stage.audit.fail("its disk is full")
        let refused = await #expect(throws: AccessError.self) {
            try await control.admit(Desk.key(1), as: KeyName("left-arm"), role: .node, by: .coordinator)
        }
        #expect(refused?.code == .notRecorded && refused?.description.contains("its disk is full") == true)
        await #expect(throws: AccessError.self) {
            try await control.invite(KeyName("right-arm"), role: .node, by: Desk.anna)
        }
        #expect(try await stage.storedKeys() == [])
        #expect(await control.registry.invitations.isEmpty)
    }

    @Test func `A broken audit log keeps no stolen key alive`() async throws {
        let control = try await stage.control()
        let key = try Desk.key(1)
        _ = try await control.admit(key, as: KeyName("left-arm"), role: .node, by: .coordinator)
        stage.audit.fail("its disk is full")
        let ended = try await control.revoke("left-arm", by: Desk.anna)
        #expect(ended.map(\.key) == [key])
        #expect(control.snapshot.decide(domain: .control, key: key) == .refuse(.revoked))
        #expect(stage.audit.events.last == .revoked(ended, by: Desk.anna), "it is recorded once the log works")
    }

    @Test func `While the disk hangs, connections are decided and at most 64 changes wait`() async throws {
        let control = try await stage.control()
        let known = try Desk.key(1)
        _ = try await control.admit(known, as: KeyName("known"), role: .node, by: .coordinator)
        await stage.store.hold()
        try await withThrowingTaskGroup { group in
            for number in 2..<AccessControl.waitingLimit + 4 {
                let (key, name) = (try Desk.key(UInt64(number)), try KeyName("node-\(number)"))
                group.addTask { () -> AccessError.Code? in
                    do throws(AccessError) {
                        _ = try await control.admit(key, as: name, role: .node, by: .coordinator)
                        return nil
                    } catch { return error.code }
                }
            }
            // One is written, 64 wait, and the disk lets none of them return.
            #expect(try await group.next() == .overloaded)
            #expect(control.snapshot.decide(domain: .control, key: known).isAdmission)
            await stage.store.release()
            for try await code in group { #expect(code == nil) }
        }
        #expect(await control.overloads == 1)
        #expect(try await stage.storedKeys().count == AccessControl.waitingLimit + 2)
    }

    @Test func `A request that arrives while the disk is busy is kept`() async throws {
        let control = try await stage.control()
        let (admitted, asking) = (try Desk.key(1), try Desk.key(2))
        for key in [admitted, asking] {
            _ = try await control.request(KeyName("left-arm"), role: .node, for: key, from: IPAddress("192.0.2.1"))
        }
        await stage.store.hold()
        async let approved = control.approve(
            Desk.prefix(of: admitted), as: KeyName("left-arm"), role: .node, by: Desk.anna)
        await stage.store.hasBegunToWrite()
        let late = try Desk.key(3)
        _ = try await control.request(KeyName("right-arm"), role: .node, for: late, from: IPAddress("192.0.2.2"))
        await stage.store.release()
        _ = try await approved
        #expect(await control.registry.requests.map(\.key) == [asking, late])
    }

    @Test func `A code admits one key, and the same key again`() async throws {
        let control = try await stage.control()
        let issued = try await control.invite(KeyName("left-arm"), role: .node, by: Desk.anna)
        let key = try Desk.key(1)
        let first = try await control.redeem(issued.token, for: key, from: nil)
        #expect(try await control.redeem(issued.token, for: key, from: nil) == .repeated(first.holder))
        let other = await #expect(throws: AccessError.self) {
            try await control.redeem(issued.token, for: Desk.key(2), from: nil)
        }
        #expect(other?.code == .used)
        #expect(stage.audit.events.count == 2, "the invitation and one admission")
    }

    @Test func `Guesses are refused while the disk hangs, and then for their number`() async throws {
        let control = try await stage.control()
        await stage.store.hold()
        async let invited = control.invite(KeyName("left-arm"), role: .node, by: Desk.anna)
        await stage.store.hasBegunToWrite()
        var codes: [AccessError.Code] = []
        for number in 1...UInt64(AttemptLimiter.burst + 1) {
            var generator = SplitMix64(seed: number)
            let error = await #expect(throws: AccessError.self) {
                try await control.redeem(
                    JoinToken(using: &generator), for: Desk.key(number), from: IPAddress("192.0.2.1"))
            }
            if let error { codes.append(error.code) }
        }
        #expect(codes == Array(repeating: .unknownCode, count: AttemptLimiter.burst) + [.tooManyAttempts])
        #expect(await control.refusedAttempts == 1)
        await stage.store.release()
        _ = try await invited
    }

    @Test func `A new key that is used ends the old one`() async throws {
        let control = try await stage.control()
        let (old, new) = (try Desk.key(1), try Desk.key(2))
        _ = try await control.admit(old, as: KeyName("left-arm"), role: .node, by: .coordinator)
        _ = try await control.rotate(KeyName("left-arm"), to: new, by: Desk.anna)
        try await control.confirmRotation(by: old)
        #expect(control.snapshot.decide(domain: .control, key: old).isAdmission)
        try await control.confirmRotation(by: new)
        #expect(control.snapshot.decide(domain: .control, key: old) == .refuse(.revoked))
        #expect(control.snapshot.decide(domain: .control, key: new).isAdmission)
    }

    @Test func `Every change is told with the connections that it ends`() async throws {
        let control = try await stage.control()
        let key = try Desk.key(1)
        _ = try await control.admit(key, as: KeyName("left-arm"), role: .node, by: .coordinator)
        let before = control.snapshot
        _ = try await control.revoke("left-arm", by: Desk.anna)
        var changes = control.changes.makeAsyncIterator()
        let latest = try #require(await changes.next())
        #expect(latest == control.snapshot)
        #expect(latest.endedAdmissions(to: .control, since: before) == [key])
    }

    @Test func `The expiry of an invitation is final within a minute`() async throws {
        let control = try await stage.control()
        let issued = try await control.invite(KeyName("left-arm"), role: .node, by: Desk.anna)
        let running = Task { await control.run() }
        await stage.clock.sleepers(atLeast: 1)
        stage.clock.advance(by: Invitation.validity + AccessControl.expiryInterval)
        await stage.clock.sleepers(atLeast: 1)
        running.cancel()
        await running.value
        stage.clock.stepWallClock(by: .seconds(-7200))
        let error = await #expect(throws: AccessError.self) {
            try await control.redeem(issued.token, for: Desk.key(1), from: nil)
        }
        #expect(error?.code == .expired)
        #expect(try await stage.control().registry.invitations.map(\.outcome) == [.expired(isWrongClock: false)])
    }

    @Test func `A damaged registry is refused, and stays as it is`() async throws {
        await stage.store.store(Array("{".utf8))
        let error = await #expect(throws: AccessError.self) { try await stage.control() }
        #expect(error?.code == .damagedDocument)
        #expect(await stage.store.read() == Array("{".utf8))
    }
}
