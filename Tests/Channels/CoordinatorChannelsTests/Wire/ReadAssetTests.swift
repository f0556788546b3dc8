import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import RigProtocol
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels
@testable import RigCore

/// Clients read stored files through the client channel.
@Suite(.timeLimit(.minutes(10))) struct ReadAssetTests {
    private let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private func fill(_ folder: TemporaryFolder) async throws { try await WireBench.fill(folder, photo: bytes) }

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
        let whole: [UInt8] = offsets.flatMap { parts[$0] ?? [] }
        #expect(whole == bytes)
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

    @Test func `the status counts the parts that were refused`() {
        var status = RigSnapshot(
            rigClock: RigClockID(rawValue: "rig-0"), now: RigTime(nanoseconds: 1), nodes: [], openShots: 0, takes: [],
            triggerTimeout: .seconds(30))
        #expect(status.wire.droppedMessages.isEmpty)
        (status.refusedReads, status.refusedPictures) = (3, 4)
        #expect(status.wire.droppedMessages == ["client.refusedReads": 3, "client.refusedPictures": 4])
    }
}
