import CaptureModel
import CaptureTestSupport
import KeyFiles
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// A coordinator that replaces its own key.
@Suite(.timeLimit(.minutes(10))) struct OwnKeyTests {
    private func rotate(_ bench: KeyedBench, isCompromised: Bool = false) async throws -> (
        old: PublicKey, new: PublicKey
    ) {
        let old = bench.keys.own.publicKey
        let status = try await bench.keys.own.rotate(from: old, isCompromised: isCompromised, by: .coordinator)
        #expect(status.old == old && status.new == bench.keys.own.publicKey && status.isOldServed != isCompromised)
        return (old, status.new)
    }

    /// A client that knows a key of the coordinator's, which the coordinator tells it.
    private func told(_ bench: KeyedBench, _ pair: CurveKeyPair, at endpoint: String, knowing key: PublicKey)
        async throws -> PublicKey?
    {
        let socket = try await bench.dealer(pair, at: endpoint, knowing: key)
        let reply = try await bench.ask(socket, .getStatus(.init()))
        await socket.close()
        return PublicKey(bytes: reply.status.coordinatorKey)
    }

    @Test
    func `the usual port proves the new key, and the second one the old key until every holder knows the new one`()
        async throws
    {
        let bench = try await KeyedBench()
        let anna = try await bench.admit("anna", .viewer)
        let ben = try await bench.admit("ben", .viewer)
        let (old, new) = try await rotate(bench)
        let usual = bench.endpoint(.client)
        let second = try #require(SecondPort.endpoint(of: usual))
        #expect(try await told(bench, anna, at: second, knowing: old) == new)
        #expect(
            bench.keys.own.rotation?.unconfirmed.map(\.name.rawValue) == ["anna", "ben"], "both know the old key only")
        #expect(try await told(bench, anna, at: usual, knowing: new) == new)
        #expect(bench.keys.own.rotation?.unconfirmed.map(\.name.rawValue) == ["ben"])
        #expect(try await told(bench, ben, at: usual, knowing: new) == new)
        while bench.keys.own.rotation != nil { await Task.yield() }
        await #expect(throws: RigProblem.self) {
            _ = try await bench.keys.own.rotate(from: old, isCompromised: false, by: .coordinator)
        }
        await bench.end()
    }

    @Test func `a repeated request replaces the key once, and another one waits for the end`() async throws {
        let bench = try await KeyedBench()
        _ = try await bench.admit("anna", .viewer)
        let (old, new) = try await rotate(bench)
        let repeated = try await bench.keys.own.rotate(from: old, isCompromised: false, by: .coordinator)
        #expect(repeated.new == new)
        await #expect(throws: RigProblem.self) {
            _ = try await bench.keys.own.rotate(from: new, isCompromised: false, by: .coordinator)
        }
        let ended = try await bench.keys.own.endRotation(by: .coordinator)
        #expect(ended.unconfirmed.map(\.name.rawValue) == ["anna"])
        while bench.keys.own.rotation != nil { await Task.yield() }
        _ = try await rotate(bench)
        await bench.end()
    }

    @Test func `a compromised key ends at once, and who has to be visited is told`() async throws {
        let bench = try await KeyedBench()
        let anna = try await bench.admit("anna", .viewer)
        let (_, new) = try await rotate(bench, isCompromised: true)
        let usual = bench.endpoint(.client)
        #expect(bench.keys.own.rotation?.unconfirmed.map(\.name.rawValue) == ["anna"])
        #expect(try await told(bench, anna, at: usual, knowing: new) == new)
        while bench.keys.own.rotation != nil { await Task.yield() }
        #expect(try bench.ownKeyFiles() == ["coordinator.key_secret"])
        await bench.end()
    }

    @Test func `an old key that turns out to be compromised ends at once`() async throws {
        let bench = try await KeyedBench()
        _ = try await bench.admit("anna", .viewer)
        let (old, new) = try await rotate(bench)
        let status = try await bench.keys.own.rotate(from: old, isCompromised: true, by: .coordinator)
        #expect(status.new == new && !status.isOldServed && status.unconfirmed.map(\.name.rawValue) == ["anna"])
        #expect(try bench.ownKeyFiles() == ["coordinator.key_secret"])
        await bench.end()
    }

    @Test func `an old key that an earlier run has left is served again, and programs of this machine get the new one`()
        async throws
    {
        let bench = try await KeyedBench()
        _ = try await bench.admit("anna", .viewer)
        let (old, new) = try await rotate(bench)
        while try AdminKey(in: bench.adminFolder).load().coordinator.bytes != new.bytes { await Task.yield() }
        await bench.end()
        #expect(try bench.ownKeyFiles().count == 2)
        let next = try await bench.keysOfNextRun()
        #expect(next.own.publicKey == new && next.own.rotation?.old == old && next.own.rotation?.isOldServed == true)
    }
}
