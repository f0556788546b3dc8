import CaptureModel
import FoundationEssentials
import RigAccess
import RigSecurity
import Testing

@Suite struct AccessSnapshotTests {
    @Test func `The table of roles and domains in the documentation is the one that holds`() throws {
        var desk = Desk()
        var keys: [Role: PublicKey] = [:]
        for (seed, role) in Role.allCases.enumerated() {
            keys[role] = try desk.admit(UInt64(seed), as: role.rawValue, role: role)
        }
        let snapshot = desk.registry.snapshot()
        let head = "| role | \(AccessDomain.allCases.map(\.rawValue).joined(separator: " | ")) |"
        let rule = String(repeating: "|---", count: AccessDomain.allCases.count + 1) + "|"
        let rows = try Role.allCases.map { role in
            let key = try #require(keys[role])
            let cells = AccessDomain.allCases.map { domain in
                switch snapshot.decide(domain: domain, key: key) {
                case .admit: "yes"
                case .refuse(let reason): reason == .notPermitted ? "–" : "\(reason)"
                }
            }
            return "| \(role.rawValue) | \(cells.joined(separator: " | ")) |"
        }
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Core/RigAccess/Decisions/AccessDomain.swift")
        let documented = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("/// |") }.map { String($0.dropFirst(4)) }
        #expect(documented == [head, rule] + rows)
    }

    @Test(arguments: AccessDomain.allCases)
    func `Unknown and revoked keys only reach the join socket`(domain: AccessDomain) throws {
        var desk = Desk()
        let revoked = try desk.admit(1, as: "left-arm")
        try desk.revoke("left-arm")
        let unknown = try Desk.key(2)
        let snapshot = desk.registry.snapshot()
        for (key, reason) in [(revoked, AccessDecision.Reason.revoked), (unknown, .unknown)] {
            let decision = snapshot.decide(domain: domain, key: key)
            #expect(decision == (domain == .join ? .admit(.stranger(key)) : .refuse(reason)))
        }
    }

    @Test func `The join socket knows nobody by name`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "anna", role: .admin)
        #expect(desk.registry.snapshot().decide(domain: .join, key: key) == .admit(.stranger(key)))
    }

    @Test func `A snapshot does not change with its registry, and names its revision`() throws {
        var desk = Desk()
        let key = try desk.admit(1, as: "left-arm")
        let snapshot = desk.registry.snapshot()
        try desk.revoke("left-arm")
        #expect(snapshot.decide(domain: .control, key: key).isAdmission)
        #expect(snapshot.revision == 1 && desk.registry.snapshot().revision == 2)
        #expect(snapshot.holder(of: key)?.name == (try KeyName("left-arm")))
        #expect(desk.registry.snapshot().holder(of: key) == nil)
    }

    @Test func `An agent decides about viewers with the keys that the coordinator sends`() throws {
        var desk = Desk()
        try desk.admit(1, as: "left-arm")
        let viewer = try desk.admit(2, as: "wall", role: .viewer)
        let admin = try desk.admit(3, as: "anna", role: .admin)
        let holders = desk.registry.snapshot().holders(admittedTo: .frames)
        #expect(holders.map(\.key) == [admin, viewer])
        let atAgent = AccessSnapshot(revision: 3, holders: holders)
        #expect(atAgent.decide(domain: .frames, key: viewer) == .admit(.holder(holders[1])))
        #expect(try atAgent.decide(domain: .frames, key: Desk.key(1)) == .refuse(.unknown))
        let afterwards = AccessSnapshot(revision: 4, holders: holders, revoked: [viewer])
        #expect(afterwards.decide(domain: .frames, key: viewer) == .refuse(.revoked))
    }

    @Test func `The connections that must end are those of keys that a domain no longer admits`() throws {
        var desk = Desk()
        let node = try desk.admit(1, as: "left-arm")
        let viewer = try desk.admit(2, as: "wall", role: .viewer)
        let before = desk.registry.snapshot()
        try desk.revoke("wall")
        try desk.admit(3, as: "wall", role: .viewer)
        let after = desk.registry.snapshot()
        for domain in AccessDomain.allCases {
            let isOfViewers = [.client, .feed, .frames].contains(domain)
            #expect(after.endedAdmissions(to: domain, since: before) == (isOfViewers ? [viewer] : []))
            #expect(before.endedAdmissions(to: domain, since: before).isEmpty)
        }
        let demoted = AccessSnapshot(
            revision: 9, holders: [KeyHolder(name: try KeyName("left-arm"), role: .viewer, key: node)])
        #expect(demoted.endedAdmissions(to: .control, since: before) == [node])
    }
}
