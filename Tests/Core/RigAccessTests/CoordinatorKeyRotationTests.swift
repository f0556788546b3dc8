import CaptureModel
import RigSecurity
import Testing

@testable import RigAccess

@Suite struct CoordinatorKeyRotationTests {
    private func key(_ number: UInt8) throws -> PublicKey {
        try #require(PublicKey(bytes: Array(repeating: number, count: 32)))
    }

    @Test func `holders are waited for until they connect with the new key, but not the coordinator's own machine`()
        throws
    {
        let (old, new, local) = try (key(1), key(2), key(3))
        let holders = try [("south", 5), ("north", 4)].map {
            KeyHolder(name: try KeyName($0.0), role: .node, key: try key($0.1))
        }
        let admin = KeyHolder(name: try KeyName("admin"), role: .admin, key: local)
        let snapshot = AccessSnapshot(revision: 1, holders: holders + [admin])
        var rotation = CoordinatorKeyRotation(from: old, to: new, isOldServed: true)
        #expect(rotation.unconfirmed(in: snapshot, except: local).map(\.name.rawValue) == ["north", "south"])
        rotation.connected(try key(4), knowing: old)
        #expect(rotation.unconfirmed(in: snapshot, except: local).count == 2, "it knows the old key only")
        rotation.connected(try key(4), knowing: new)
        #expect(rotation.unconfirmed(in: snapshot, except: local).map(\.name.rawValue) == ["south"])
        let revoked = AccessSnapshot(revision: 2, holders: [holders[1], admin], revoked: [try key(5)])
        #expect(rotation.unconfirmed(in: revoked, except: local).isEmpty, "a revoked key is not waited for")
    }
}
