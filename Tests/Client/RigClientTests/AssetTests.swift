import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import RigClient
import RigProtocol
import RigWire
import SystemClock
import Testing

/// Stored files as a client reads them.
@Suite(.timeLimit(.minutes(10))) struct AssetTests {
    private static let partSize = Int(WireLimits.assetPart.upperBound)
    /// Seven parts, the last of them short.
    private let bytes = (0..<(partSize * 6 + 1000)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }
    private let asset: StoredAsset

    init() throws {
        var generator = SeededGenerator(seed: 1)
        var hash = AssetHash()
        hash.update(bytes)
        asset = StoredAsset(
            shot: ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator), file: "n.cam/movie.mov",
            byteCount: Int64(bytes.count), digest: hash.digest)
    }

    /// What a coordinator with the file says.
    private func answer(
        _ request: WireClientRequest.OneOf_Body, _ bytes: [UInt8], change: (inout WireAssetPart) -> Void = { _ in }
    ) -> [FakeCoordinator.Body] {
        guard case .readAsset(let read) = request else { return [] }
        var part = WireAssetPart()
        (part.shotID, part.file, part.offset) = (read.shotID, read.file, read.offset)
        part.data = Data(bytes[Int(read.offset)..<min(bytes.count, Int(read.offset + read.count))])
        (part.byteCount, part.sha256) = (asset.byteCount, Data(asset.digest.bytes))
        change(&part)
        return [.assetPart(part)]
    }

    private func read(_ client: RigClient, after start: AssetHash = AssetHash()) async throws -> [UInt8] {
        var found: [UInt8] = []
        try await client.read(asset, after: start) { found += $0 }
        return found
    }

    @Test func `hands a file on in order, and asks for no more than a mebibyte ahead`() async throws {
        let bench = try Bench()
        let (asked, answered) = (Observed(0), Observed(Int64(0)))
        let coordinator = try await bench.coordinator { request in
            asked.change { $0 += 1 }
            return answer(request, bytes)
        }
        try await bench.client.connect(to: coordinator.endpoint)
        var found: [UInt8] = []
        try await bench.client.read(asset) { part in
            found += part
            answered.change { $0 += Int64(part.count) }
            // What is being handed on counts until the next is asked for.
            #expect(asked.value <= Int(answered.value) / Self.partSize + 4)
        }
        #expect(found == bytes && asked.value == 7)
        #expect(try await bench.client.bytes(of: asset, at: 5, count: 10) == Array(bytes[5..<15]))
        #expect(try await bench.client.bytes(of: asset, at: asset.byteCount, count: 10) == [])
        await coordinator.stop()
    }

    @Test func `goes on where the caller's bytes end`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { answer($0, bytes) }
        try await bench.client.connect(to: coordinator.endpoint)
        for kept in [1, Self.partSize * 3 + 7, bytes.count] {
            var start = AssetHash()
            start.update(Array(bytes[..<kept]))
            #expect(try await read(bench.client, after: start) == Array(bytes[kept...]))
        }
        var other = AssetHash()
        other.update(Array(bytes[..<100].reversed()))
        #expect(await failure { _ = try await read(bench.client, after: other) } == .altered)
        await coordinator.stop()
    }

    @Test func `tells altered bytes, another length and another digest`() async throws {
        var altered = bytes
        altered[Self.partSize * 2 + 3] ^= 1
        let lies: [@Sendable (WireClientRequest.OneOf_Body) -> [FakeCoordinator.Body]] = [
            { [altered] in answer($0, altered) },
            { answer($0, bytes) { $0.byteCount += 1 } },
            { answer($0, bytes) { $0.sha256 = Data(repeating: 1, count: 32) } },
        ]
        for lie in lies {
            let bench = try Bench()
            let coordinator = try await bench.coordinator(answer: lie)
            try await bench.client.connect(to: coordinator.endpoint)
            #expect(await failure { _ = try await read(bench.client) } == .altered)
            await coordinator.stop()
        }
    }

    @Test func `refuses parts that were not asked for`() async throws {
        let lies: [@Sendable (inout WireAssetPart) -> Void] = [
            { $0.offset += 1 }, { $0.file = "n.cam/other.mov" }, { $0.data.removeLast() }, { $0.data.append(0) },
            { $0.shotID = Data() },
        ]
        for lie in lies {
            let bench = try Bench()
            let coordinator = try await bench.coordinator { answer($0, bytes, change: lie) }
            try await bench.client.connect(to: coordinator.endpoint)
            #expect(await failure { _ = try await read(bench.client) } == .malformedReply)
            await coordinator.stop()
        }
    }

    @Test func `goes on when the coordinator is started again in the middle of a file`() async throws {
        let bench = try Bench()
        // The first life answers the first two parts only, and ends once the four that may be awaited at a time have been asked for.
        let unanswered = Observed(0)
        let first = try await bench.coordinator { request in
            guard case .readAsset(let read) = request, read.offset < Self.partSize * 2 else {
                unanswered.change { $0 += 1 }
                return []
            }
            return answer(request, bytes)
        }
        try await bench.client.connect(to: first.endpoint)
        let given = Observed(0)
        async let found = {
            var found: [UInt8] = []
            try await bench.client.read(asset) { part in
                found += part
                given.change { $0 += part.count }
            }
            return found
        }()
        await given.wait { $0 == Self.partSize * 2 }
        await unanswered.wait { $0 == 4 }
        await first.stop()
        let second = try await bench.coordinator(at: first.endpoint) { answer($0, bytes) }
        await second.connected()
        await bench.time.sleepers(atLeast: 4)
        bench.time.advance(by: .seconds(3))
        #expect(try await found == bytes)
        await second.stop()
    }

    @Test func `asks again where the coordinator reads as much as it may`() async throws {
        let bench = try Bench()
        // The pause until it asks again passes by itself.
        let client = try RigClient(context: bench.context, executor: bench.executor, time: SystemTimeSource())
        let refusals = Observed(0)
        let coordinator = try await bench.coordinator { request in
            guard refusals.value < 3 else { return answer(request, bytes) }
            refusals.change { $0 += 1 }
            var failure = WireFailure()
            failure.problem = RigProblem(.noMemory, "busy").wire
            return [.failure(failure)]
        }
        try await client.connect(to: coordinator.endpoint)
        #expect(try await read(client) == bytes)
        #expect(refusals.value == 3)
        await client.close()
        await coordinator.stop()
    }

    @Test func `tells what the coordinator refuses at once`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in
            var failure = WireFailure()
            failure.problem = RigProblem(.fileLost, "n.cam/movie.mov is gone").wire
            return [.failure(failure)]
        }
        try await bench.client.connect(to: coordinator.endpoint)
        #expect(await failure { _ = try await read(bench.client) } == .refused("fileLost"))
        #expect(await failure { try await bench.client.check(asset) } == .refused("fileLost"))
        await coordinator.stop()
    }

    @Test func `gives a coordinator up that sends nothing for a minute`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: coordinator.endpoint)
        let clock = Task {
            while !Task.isCancelled {
                bench.time.advance(by: .milliseconds(100))
                await Task.yield()
            }
        }
        let code = await failure { try await bench.client.check(asset) }
        clock.cancel()
        #expect(code == .lostCoordinator)
        await coordinator.stop()
    }
}
