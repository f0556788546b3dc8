import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import RigClient
import RigProtocol
import RigWire
import SystemClock
import Testing

/// Small pictures as a client reads them.
@Suite(.timeLimit(.minutes(10))) struct PictureTests {
    private let shot: ShotID
    private let jpeg: [UInt8] = [0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9]
    private static let file = "n.cam/photo.jpg"

    init() {
        var generator = SeededGenerator(seed: 1)
        shot = ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator)
    }

    /// What a coordinator with the file says.
    private func answer(
        _ request: WireClientRequest.OneOf_Body, change: (inout WireSmallPicture) -> Void = { _ in }
    ) -> [FakeCoordinator.Body] {
        guard case .readPicture(let read) = request else { return [] }
        var picture = WireSmallPicture()
        (picture.shotID, picture.file, picture.picture) = (read.shotID, read.file, read.picture)
        (picture.data, picture.byteCount, picture.sha256) = (Data(jpeg), 70, Data(repeating: 7, count: 32))
        change(&picture)
        return [.smallPicture(picture)]
    }

    @Test func `reads a picture with the length and digest of its file`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { answer($0) }
        try await bench.client.connect(to: coordinator.endpoint)
        let found = try await bench.client.picture(.preview, of: Self.file, in: shot)
        #expect(found.jpeg == jpeg && found.asset.byteCount == 70 && found.asset.file == Self.file)
        #expect(found.asset.digest == ContentDigest(bytes: [UInt8](repeating: 7, count: 32)))
        await coordinator.stop()
    }

    @Test func `refuses a picture that was not asked for, or is none`() async throws {
        let lies: [@Sendable (inout WireSmallPicture) -> Void] = [
            { $0.shotID = Data() }, { $0.file = "n.cam/other.jpg" }, { $0.picture = "thumbnail" }, { $0.data = Data() },
            { $0.data = Data("<svg>".utf8) }, { $0.sha256.removeLast() }, { $0.byteCount = -1 },
            { $0.data = Data([0xFF, 0xD8] + [UInt8](repeating: 0, count: SmallPicture.byteLimit)) },
        ]
        for lie in lies {
            let bench = try Bench()
            let coordinator = try await bench.coordinator { answer($0, change: lie) }
            try await bench.client.connect(to: coordinator.endpoint)
            let code = await failure { _ = try await bench.client.picture(.preview, of: Self.file, in: shot) }
            #expect(code == .malformedReply)
            await coordinator.stop()
        }
    }

    @Test func `asks again where the coordinator is busy, and not for a name that no file can have`() async throws {
        let bench = try Bench()
        // The pause until it asks again passes by itself.
        let client = try RigClient(context: bench.context, executor: bench.executor, time: SystemTimeSource())
        let asked = Observed(0)
        let coordinator = try await bench.coordinator { request in
            guard case .readPicture(let read) = request else { return [] }
            asked.change { $0 += 1 }
            guard read.file == Self.file, asked.value < 3 else { return answer(request) }
            var failure = WireFailure()
            failure.problem = RigProblem(.noMemory, "busy").wire
            return [.failure(failure)]
        }
        try await client.connect(to: coordinator.endpoint)
        #expect(try await client.picture(.thumbnail, of: Self.file, in: shot).jpeg == jpeg)
        #expect(asked.value == 3)
        let code = await failure {
            _ = try await client.picture(.thumbnail, of: String(repeating: "x", count: 257), in: shot)
        }
        #expect(code == .refused("unknownFile") && asked.value == 3, "no coordinator would accept it")
        await client.close()
        await coordinator.stop()
    }
}
