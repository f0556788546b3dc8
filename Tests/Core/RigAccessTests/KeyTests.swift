import CaptureModel
import RigAccess
import RigSecurity
import Testing

@Suite struct KeyTests {
    @Test func `Admitting a key again changes nothing, and with another name or role is refused`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "admin", role: .admin)
        let after = desk.registry
        #expect(after.revision == 1)
        try desk.admit(1, as: "admin", role: .admin)
        #expect(desk.registry == after)
        desk.refused(.keyInUse) { try $0.admit(1, as: "admin", role: .viewer) }
        desk.refused(.keyInUse) { try $0.admit(1, as: "other", role: .admin) }
        desk.refused(.nameTaken) { try $0.admit(2, as: "admin", role: .admin) }
        #expect(desk.registry.record(of: key)?.admission.means == .direct)
        #expect(desk.registry.record(of: key)?.admission.by == .coordinator)
    }

    @Test func `A revoked key is known as revoked, and its name is free`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "left-arm")
        let revoked = try desk.revoke("left-arm")
        #expect(revoked == [KeyHolder(name: try KeyName("left-arm"), role: .node, key: key)])
        guard case .revoked(let revocation) = desk.registry.record(of: key)?.state else {
            Issue.record("the key is not revoked")
            return
        }
        #expect(revocation.by == Desk.anna && revocation.at == desk.now && revocation.replacement == nil)
        desk.refused(.revoked) { try $0.admit(1, as: "left-arm") }
        try desk.admit(2, as: "left-arm")
    }

    @Test func `Revoking again changes nothing`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "left-arm")
        try desk.revoke("left-arm")
        let after = desk.registry
        #expect(try desk.revoke("left-arm").isEmpty)
        #expect(try desk.revoke("\(key)").isEmpty)
        #expect(desk.registry == after)
    }

    @Test func `A name or the beginning of a fingerprint selects a key`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "left-arm")
        try desk.admit(2, as: "right-arm")
        #expect(try desk.registry.select("left-arm") == .name(KeyName("left-arm")))
        #expect(try desk.registry.select(String(key.fingerprint.description.prefix(15))) == .key(key))
        for text in ["nobody", "", "SHA256:????", "\u{1B}[31m", String(repeating: "x", count: 1000)] {
            let error = desk.refused(.notFound) { _ = try $0.registry.select(text) }
            #expect((error?.description.count ?? 0) < 300)
            #expect(error?.description.contains("\u{1B}") == false)
        }
        desk.refused(.notFound) { desk in
            _ = try desk.registry.revoke(.key(Desk.key(9)), by: Desk.anna, at: desk.now)
        }
        desk.refused(.notFound) { desk in
            _ = try desk.registry.revoke(.name(KeyName("nobody")), by: Desk.anna, at: desk.now)
        }
    }

    @Test func `The beginning that two fingerprints share selects no key`() throws {
        var desk = Desk { $0.keys = 100_000 }
        var seen: Set<Substring> = []
        for seed in UInt64(0)... {
            let key = try desk.admit(seed, as: "n\(seed)")
            let digits = key.fingerprint.description.dropFirst(7).prefix(4)
            guard !seen.insert(digits).inserted else { continue }
            desk.refused(.ambiguous) { _ = try $0.registry.select("SHA256:\(digits)") }
            return
        }
    }

    @Test func `The last admin stays`() throws {
        var desk = Desk()
        try desk.admit(1, as: "anna", role: .admin)
        try desk.admit(2, as: "node")
        let error = desk.refused(.lastAdmin) { try $0.revoke("anna") }
        #expect(error?.remedy.contains("another admin") == true)
        try desk.revoke("node")
        try desk.admit(3, as: "ben", role: .admin)
        try desk.revoke("anna")
        desk.refused(.lastAdmin) { try $0.revoke("ben") }
        // During a rotation, one of the two keys can go, but not both.
        try desk.rotate("ben", to: Desk.key(4))
        desk.refused(.lastAdmin) { try $0.revoke("ben") }
        try desk.revoke("\(Desk.key(3))")
        desk.refused(.lastAdmin) { try $0.revoke("ben") }
    }

    @Test func `A renamed key keeps its rights, and its old name is free`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "left-arm")
        try desk.admit(2, as: "right-arm")
        let renamed = try desk.registry.rename(KeyName("left-arm"), to: KeyName("head"))
        #expect(renamed == [KeyHolder(name: try KeyName("head"), role: .node, key: key)])
        #expect(desk.registry.record(of: key)?.holder == renamed.first)
        desk.refused(.nameTaken) { _ = try $0.registry.rename(KeyName("head"), to: KeyName("right-arm")) }
        desk.refused(.notFound) { _ = try $0.registry.rename(KeyName("left-arm"), to: KeyName("foot")) }
        desk.refused(.reservedName) { _ = try $0.registry.rename(KeyName("head"), to: KeyName("coordinator")) }
        let after = desk.registry
        #expect(try desk.registry.rename(KeyName("head"), to: KeyName("head")) == renamed)
        #expect(desk.registry == after)
        try desk.admit(3, as: "left-arm")
    }

    @Test func `Keys are limited, and revoked ones are forgotten from the oldest`() throws {
        var desk = Desk { ($0.keys, $0.revokedKeys) = (3, 2) }
        for seed in 0..<3 as Range<UInt64> { try desk.admit(seed, as: "n\(seed)") }
        let error = desk.refused(.full) { try $0.admit(3, as: "n3") }
        #expect(error?.description.contains("3 keys") == true)
        desk.refused(.full) { _ = try $0.invite("n3") }
        desk.refused(.full) { try $0.rotate("n0", to: Desk.key(3)) }
        try desk.request("n3", for: Desk.key(3))
        desk.refused(.full) { try $0.approve(Desk.key(3), as: "n3") }
        for seed in 0..<3 as Range<UInt64> {
            desk.now = desk.now + .seconds(1)
            try desk.revoke("n\(seed)")
        }
        #expect(try desk.registry.record(of: Desk.key(0)) == nil)
        #expect(desk.registry.keys.map(\.holder.name.rawValue) == ["n2", "n1"])
        #expect(desk.registry.counters.forgottenKeys == 1)
    }

    @Test func `The list has active keys by name, then revoked ones from the newest`() throws {
        var desk = Desk()
        for (seed, name) in [(1, "c"), (2, "a"), (3, "d"), (4, "b")] as [(UInt64, String)] {
            try desk.admit(seed, as: name)
        }
        try desk.revoke("c")
        desk.now = desk.now + .seconds(1)
        try desk.revoke("a")
        #expect(desk.registry.keys.map(\.holder.name.rawValue) == ["b", "d", "a", "c"])
        #expect(desk.registry.keys.map(\.isActive) == [true, true, false, false])
    }
}
