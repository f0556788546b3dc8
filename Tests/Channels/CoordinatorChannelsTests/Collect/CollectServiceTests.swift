import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Logging
import RigConfiguration
import RigCore
import RigTestSupport
import StorageKit
import Testing
import ZeroMQ

@testable import CoordinatorChannels

@Suite(.timeLimit(.minutes(1))) struct CollectServiceTests {
    @Test("What an earlier life of the coordinator had received of a file that will not come stays in the library")
    func givenUp() async throws {
        let folder = try TemporaryFolder()
        let bench = try await IdleRig(folder: folder)
        let router = try RouterSocket(context: ZeroMQContext(), executor: SocketExecutor(name: "test"))
        let service = CollectService(
            socket: router, rig: bench.rig, assets: bench.assets, rate: .unlimited, clock: SystemTimeSource(),
            log: Logger(label: "test"))
        let keys = try ["north/cam", "south/cam", "west/cam"].map { try Samples.fileKey(1, $0) }
        let digest = Samples.digest([1, 2, 3])
        for key in keys {
            let start = try await bench.assets.begin(key, AssetContent(byteCount: 3, digest: digest))
            #expect(start == .resume(at: 0))
            try await bench.assets.append([1], to: key, at: 0)
            if key != keys[2] { await bench.assets.suspend(key) }
        }
        func left() throws -> [String] {
            try folder.names("library/.incoming").map { String($0.split(separator: ".")[1]) }.sorted()
        }
        #expect(try left() == ["north", "south", "west"])
        await service.abandon(keys[0])
        #expect(try left() == ["south", "west"])
        await service.tidy(Samples.shot(2))
        #expect(try left() == ["south", "west"])
        await service.tidy(Samples.shot())
        #expect(try left() == ["west"], "and one that is being received goes on")
    }
}
