import CaptureModel
import CaptureTestSupport
import FolderStore
import FoundationEssentials
import RigCore
import RigProtocol
import RigTestSupport
import RigWire
import StorageKit
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// Clients read stored files through the client channel.
@Suite(.timeLimit(.minutes(1))) struct ReadAssetTests {
    private let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// A library with a complete shot of one camera.
    private func fill(_ folder: TemporaryFolder) async throws {
        let store = try FolderStore(folder: folder.path + "/library")
        let (key, file) = (try Samples.fileKey(), Samples.file(bytes))
        let time = RigTime(nanoseconds: 1_000_000_000)
        var shot = Shot(
            id: Samples.shot(), time: time, rigClock: RigClockID(rawValue: "rig-0"),
            wallClock: WallClockPair(
                monotonic: time, realtimeNanoseconds: Samples.shot().unixMilliseconds * 1_000_000),
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection()),
            captures: [Capture(device: try Samples.status("north/cam").device)])
        _ = try await store.manifests.create(shot)
        _ = try await store.assets.begin(key, AssetContent(byteCount: file.byteCount, digest: file.digest))
        try await store.assets.append(bytes, to: key, at: 0)
        shot.captures[0].files[0].path = try await store.assets.commit(key).description
        shot.captures[0].files[0].outcome = .done
        (shot.captures[0].files[0].digest, shot.captures[0].files[0].byteCount) = (file.digest, file.byteCount)
        (shot.captures[0].phase, shot.status, shot.settledAt) = (.done, .complete, time)
        shot.revision = 1
        try await store.manifests.replace(0, with: shot)
    }

    private func request(
        _ id: UInt64 = 1, offset: Int64 = 0, count: Int64 = WireLimits.assetPart.upperBound,
        change: (inout WireReadAsset) -> Void = { _ in }
    ) -> WireClientRequest {
        var request = WireClientRequest()
        (request.requestID, request.protocolVersion) = (id, ProtocolVersion.current)
        (request.readAsset.shotID, request.readAsset.file) = (Samples.shot().wire, "north.cam/photo.jpg")
        (request.readAsset.offset, request.readAsset.count) = (offset, count)
        change(&request.readAsset)
        return request
    }

    @Test func `a client puts a file together from parts that it asks for at once`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let count = WireLimits.assetPart.upperBound
        let offsets = Array(stride(from: Int64(0), to: Int64(bytes.count), by: Int(count)))
        for (id, offset) in offsets.enumerated() {
            _ = await socket.send(Message(try WireCoding.client.encode(request(UInt64(id), offset: offset))))
        }
        var parts: [Int64: [UInt8]] = [:]
        for _ in offsets {
            let received = try #require(await socket.receive())
            let reply = try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
            let part = reply.assetPart
            #expect(part.offset == offsets[Int(reply.requestID)] && part.file == "north.cam/photo.jpg", "\(reply)")
            #expect(part.byteCount == bytes.count && ContentDigest(bytes: part.sha256) == Samples.digest(bytes))
            parts[part.offset] = Array(part.data)
        }
        #expect(offsets.flatMap { parts[$0] ?? [] } == bytes)
        await socket.close()
        await bench.end()
    }

    @Test func `hostile fields are refused and name the field`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let hostile: [(String, (inout WireReadAsset) -> Void)] = [
            ("shot_id", { $0.shotID = Data([1, 2]) }), ("file", { $0.file = "" }),
            ("file", { $0.file = String(repeating: "../", count: 100) }), ("offset", { $0.offset = -1 }),
            ("offset", { $0.offset = .max }), ("count", { $0.count = 0 }), ("count", { $0.count = 1 << 19 }),
            ("count", { $0.count = .min }),
        ]
        for (field, change) in hostile {
            let problem = try await bench.ask(socket, request(change: change)).failure.problem
            #expect(problem.code == "protocolViolation" && problem.message.contains(field), "\(problem)")
        }
        for (code, change) in [
            ("unknownFile", { (read: inout WireReadAsset) in read.file = "../x" }),
            ("unknownShot", { $0.shotID = Samples.shot(2).wire }),
            ("protocolViolation", { $0.offset = 600_001 }),
        ] {
            let problem = try await bench.ask(socket, request(change: change)).failure.problem
            #expect(problem.code == code, "\(problem)")
        }
        #expect(try await bench.ask(socket, request(offset: 600_000)).assetPart.data.isEmpty)
        await socket.close()
        await bench.end()
    }

    @Test func `a client that asks for more parts than it may is refused and counted`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        // More than the coordinator takes up while it reads the manifest for the first.
        let count = 200
        for id in 1...count {
            _ = await socket.send(Message(try WireCoding.client.encode(request(UInt64(id), count: 1))))
        }
        var refused: UInt64 = 0
        for _ in 1...count {
            let received = try #require(await socket.receive())
            let reply = try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
            if reply.failure.problem.code == "noMemory" { refused += 1 }
        }
        #expect(refused > 0 && refused < count)
        #expect(try await bench.status(socket)?.droppedMessages["client.refusedReads"] == refused)
        await socket.close()
        await bench.end()
    }
}
