import CaptureModel
import CaptureTestSupport
import Library
import Logging
import RigConfiguration
import Testing
import ZeroMQ

@testable import CoordinatorRuntime

@Suite(.timeLimit(.minutes(1))) struct CollectServiceTests {
    @Test("What an earlier life of the coordinator had received of a file that is given up stays in the library")
    func abandoned() async throws {
        let folder = try TemporaryFolder()
        let bench = try await RigBench(folder: folder)
        let router = try RouterSocket(context: ZeroMQContext(), executor: SocketExecutor(name: "test"))
        let service = CollectService(
            socket: router, rig: bench.rig, library: bench.library, rate: .unlimited, clock: bench.clock,
            log: Logger(label: "test"))
        try await bench.hello("north")
        _ = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [try NodeName("north")]) { $0.isPrepare }

        let key = try Samples.fileKey()
        let digest = Samples.digest([1, 2, 3])
        #expect(try await bench.library.beginReceiving(key, byteCount: 3, digest: digest) == 0)
        try await bench.library.receive(key, offset: 0, bytes: [1])
        await bench.library.suspendReceiving(key)
        #expect(try folder.names("library/.incoming").count == 1)
        await service.abandon(key)
        #expect(try folder.names("library/.incoming") == [])
        await bench.end()
    }
}
