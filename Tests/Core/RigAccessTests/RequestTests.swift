import CaptureModel
import RigAccess
import RigSecurity
import Testing

@Suite struct RequestTests {
    @Test func `A machine that asks waits, and is admitted after its fingerprint is approved`() throws {
        var desk = Desk()
        let key = try Desk.key(1)
        guard case .waiting(let request) = try desk.request("left-arm", for: key) else {
            Issue.record("a key was admitted without approval")
            return
        }
        #expect(desk.registry.requests == [request])
        let outcome = try desk.approve(key, as: "left-arm")
        #expect(outcome == .admitted(KeyHolder(name: try KeyName("left-arm"), role: .node, key: key)))
        #expect(desk.registry.requests.isEmpty)
        #expect(try desk.request("left-arm", for: key) == .admitted(outcome.holder))
        let admission = desk.registry.record(of: key)?.admission
        #expect(admission?.means == .approval && admission?.by == Desk.anna && admission?.at == desk.now)
        #expect(try desk.approve(key, as: "left-arm") == .repeated(outcome.holder))
    }

    @Test func `Asking again changes nothing, and writes nothing`() throws {
        var desk = Desk()
        let key = try Desk.key(1)
        let first = try desk.request("left-arm", for: key)
        let after = desk.registry
        #expect(after.revision == 0)
        desk.now = desk.now + .seconds(100)
        #expect(try desk.request("left-arm", for: key) == first)
        #expect(desk.registry == after)
    }

    @Test func `The admin decides name and role`() throws {
        var desk = Desk()
        let key = try Desk.key(1)
        try desk.request("boss", for: key, role: .admin)
        #expect(try desk.approve(key, as: "guest", role: .viewer).holder.role == .viewer)
        #expect(
            try desk.request("boss", for: key, role: .admin)
                == .admitted(
                    KeyHolder(name: KeyName("guest"), role: .viewer, key: key)))
    }

    @Test func `Too little of a fingerprint approves nothing`() throws {
        var desk = Desk()
        let key = try Desk.key(1)
        try desk.request("left-arm", for: key)
        for length in [4, 11] {
            let error = desk.refused(.tooShort) { desk in
                _ = try desk.registry.approve(
                    Desk.prefix(of: key, length: length), as: KeyName("left-arm"), role: .node, by: Desk.anna,
                    at: desk.now)
            }
            #expect(error?.remedy.contains("at least 12") == true)
        }
        _ = try desk.registry.approve(
            Desk.prefix(of: key, length: 12), as: KeyName("left-arm"), role: .node, by: Desk.anna, at: desk.now)
    }

    @Test func `A fingerprint that nobody asks with is not approved`() throws {
        var desk = Desk()
        try desk.request("left-arm", for: Desk.key(1))
        desk.refused(.notFound) { try $0.approve(Desk.key(2), as: "left-arm") }
        desk.refused(.notFound) { desk in
            _ = try desk.registry.decline(Desk.prefix(of: Desk.key(2)), by: Desk.anna, at: desk.now)
        }
    }

    @Test func `A declined machine is told so, and can still be approved`() throws {
        var desk = Desk()
        let key = try Desk.key(1)
        try desk.request("left-arm", for: key)
        let declined = try desk.registry.decline(Desk.prefix(of: key, length: 4), by: Desk.anna, at: desk.now)
        #expect(declined.state == .declined(by: Desk.anna, at: desk.now))
        let error = desk.refused(.declined) { try $0.request("left-arm", for: key) }
        #expect(error?.description.contains("anna has declined") == true)
        try desk.approve(key, as: "left-arm")
        #expect(try desk.request("left-arm", for: key) == .admitted(#require(desk.registry.record(of: key)?.holder)))
    }

    @Test func `A name that is taken cannot be requested or approved`() throws {
        var desk = Desk()
        try desk.admit(9, as: "left-arm")
        desk.refused(.nameTaken) { try $0.request("left-arm", for: Desk.key(1)) }
        try desk.request("right-arm", for: Desk.key(1))
        desk.refused(.nameTaken) { try $0.approve(Desk.key(1), as: "left-arm") }
    }

    @Test func `A revoked key cannot ask again`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "left-arm")
        try desk.revoke("left-arm")
        desk.refused(.revoked) { try $0.request("left-arm", for: key) }
    }

    @Test func `The oldest request goes when there are too many, first those that were declined`() throws {
        var desk = Desk { $0.requests = 3 }
        for seed in 1...3 as ClosedRange<UInt64> {
            try desk.request("n\(seed)", for: Desk.key(seed), from: "192.0.2.\(seed)")
        }
        _ = try desk.registry.decline(Desk.prefix(of: Desk.key(2)), by: Desk.anna, at: desk.now)
        try desk.request("n4", for: Desk.key(4), from: "192.0.2.4")
        #expect(desk.registry.requests.map(\.name.rawValue) == ["n1", "n3", "n4"])
        try desk.request("n5", for: Desk.key(5), from: "192.0.2.5")
        #expect(desk.registry.requests.map(\.name.rawValue) == ["n3", "n4", "n5"])
        #expect(desk.registry.counters.displacedRequests == 2)
    }

    @Test func `One machine does not displace the requests of others`() throws {
        var desk = Desk { $0.requests = 20 }
        try desk.request("honest", for: Desk.key(1), from: "192.0.2.1")
        for seed in 2...200 as ClosedRange<UInt64> {
            try desk.request("flood-\(seed)", for: Desk.key(seed), from: "2001:db8::\(seed)")
        }
        #expect(desk.registry.requests.count == 9)
        #expect(desk.registry.requests.first?.name == (try KeyName("honest")))
    }
}
