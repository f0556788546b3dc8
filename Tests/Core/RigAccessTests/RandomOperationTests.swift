import CaptureModel
import RigAccess
import RigSecurity
import Testing

/// Random operations by few people on few names and keys, so that every collision happens.
@Suite struct RandomOperationTests {
    private var desk = Desk {
        ($0.keys, $0.revokedKeys, $0.openInvitations, $0.invitations, $0.requests) = (6, 4, 3, 8, 4)
    }
    private var tokens: [JoinToken] = []
    private var random = SplitMix64(seed: 0)

    @Test(arguments: 0..<12)
    mutating func `Whatever happens, a name belongs to one key, and the document tells the same`(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        var refusals: Set<AccessError.Code> = []
        for index in 0..<200 {
            let before = desk.registry
            do {
                try step()
            } catch let error as AccessError {
                refusals.insert(error.code)
                #expect(desk.registry == before)
            }
            #expect((desk.registry.revision == before.revision) == isStoredEqually(desk.registry, before))
            try check()
            if index.isMultiple(of: 20) { try checkDocument() }
        }
        #expect(refusals.count > 3)
    }

    private mutating func step() throws {
        let name = "n\(random.next() % 4)"
        let key = try Desk.key(random.next() % 12)
        let role = Role.allCases.randomElement(using: &random) ?? .viewer
        switch random.next() % 13 {
        case 0: try desk.admit(random.next() % 12, as: name, role: role)
        case 1: tokens.append(try desk.invite(name, role: role).token)
        case 2: try desk.withdraw(name)
        case 3, 4, 5: if let token = tokens.randomElement(using: &random) { try desk.redeem(token, for: key) }
        case 6: try desk.request(name, for: key, role: role)
        case 7: try desk.approve(key, as: name, role: role)
        case 8: try desk.revoke(random.next() % 2 == 0 ? name : "\(key)")
        case 9: _ = try desk.registry.rename(KeyName(name), to: KeyName("n\(random.next() % 4)"))
        case 10: try desk.rotate(name, to: key)
        case 11: _ = desk.registry.confirmRotation(by: key, at: desk.now)
        default:
            desk.now = desk.now + .seconds(Int64.random(in: -120...900, using: &random))
            _ = desk.registry.expireInvitations(at: desk.now)
        }
    }

    private func check() throws {
        let registry = desk.registry
        let active = registry.keys.filter(\.isActive)
        for (name, records) in Dictionary(grouping: active, by: \.holder.name) {
            #expect(records.count == 1 || records.compactMap(\.rotatesFrom).count == 1, "\(name)")
            #expect(records.count <= 2 && Set(records.map(\.holder.role)).count == 1)
        }
        #expect(active.count <= 6 && registry.keys.count - active.count <= 4)
        #expect(registry.invitations.count <= 8 && registry.requests.count <= 4)
        let pending = registry.invitations.filter { $0.outcome == .pending }.map(\.name)
        #expect(Set(pending).count == pending.count)
        let snapshot = registry.snapshot()
        for record in registry.keys {
            let isAdmitted = AccessDomain.allCases.dropLast().contains {
                snapshot.decide(domain: $0, key: record.holder.key).isAdmission
            }
            #expect(isAdmitted == record.isActive)
        }
    }

    private func checkDocument() throws {
        let registry = desk.registry
        let restored = try KeyRegistryDocument.decode(KeyRegistryDocument.encoded(registry), limits: registry.limits)
        #expect(isStoredEqually(restored, registry) && restored.revision == registry.revision)
        #expect(restored.snapshot() == registry.snapshot())
    }

    private func isStoredEqually(_ left: KeyRegistry, _ right: KeyRegistry) -> Bool {
        left.keys == right.keys && left.invitations == right.invitations
    }
}
