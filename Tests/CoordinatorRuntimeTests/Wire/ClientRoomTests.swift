import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Catalogue
import Journal
import Logging
import PosixSupport
import RigConfiguration
import RigProtocol
import RigWire
import StorageKit
import Testing
import ZeroMQ

@testable import CoordinatorRuntime

@Suite(.timeLimit(.minutes(1))) struct ClientRoomTests {
    /// Answers no search before it is told to.
    private final class SlowCatalogue: Catalogue {
        let isOpen = Observed(false)

        func note(_ shot: Shot) {}

        func shots(_ page: ShotPage) async throws(CaptureProblem) -> CatalogueListing {
            await isOpen.wait { $0 }
            return CatalogueListing(source: .manifests(reason: "slow"))
        }
    }

    private func service(_ bench: RigBench, _ sockets: CoordinatorSockets, _ catalogue: SlowCatalogue) throws
        -> ClientService
    {
        var log = Logger(label: "test")
        log.logLevel = .critical
        let journal = try EventJournal(
            folder: bench.folder.path + "/feed", epoch: bench.rig.epoch, executor: try FileExecutor(name: "feed"))
        let channels = ChannelLinks(
            control: ControlService(socket: sockets.control, rig: bench.rig, clockPort: 0, collectPort: 0, log: log),
            collect: CollectService(
                socket: sockets.collect, rig: bench.rig, assets: bench.assets, rate: .unlimited,
                clock: bench.clock,
                log: log),
            feed: FeedService(
                socket: sockets.feed, journal: journal, epoch: bench.rig.epoch, clock: bench.clock, log: log))
        return ClientService(
            socket: sockets.client, rig: bench.rig, library: bench.library,
            libraryWatch: LibraryWatch(clock: bench.clock, tell: { _ in }) { [library = bench.library] in
                await library.condition()
            },
            catalogue: catalogue, channels: channels, refusedConnections: RefusedConnections(of: sockets),
            feedPort: 0, software: "test", log: log)
    }

    @Test("Slow searches keep triggers waiting, or a request too many is never answered")
    func slowSearches() async throws {
        let bench = try await RigBench(folder: try TemporaryFolder())
        let context = try ZeroMQContext()
        let sockets = try CoordinatorSockets(context: context)
        var configuration = CoordinatorConfiguration()
        configuration.listen.basePort = 0
        let endpoint = try await sockets.bind(configuration.listen).client
        let catalogue = SlowCatalogue()
        let service = try service(bench, sockets, catalogue)
        let serving = Task { await service.run() }
        let client = try DealerSocket(context: context, executor: try SocketExecutor(name: "test"))
        try await client.connect(to: endpoint)

        func ask(_ id: UInt64, _ body: WireClientRequest.OneOf_Body) async throws {
            var request = WireClientRequest()
            (request.requestID, request.body) = (id, body)
            _ = await client.send(Message(try WireCoding.client.encode(request)))
        }
        func reply() async throws -> WireClientReply {
            guard let received = await client.receive() else { return WireClientReply() }
            return try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
        }

        let count = UInt64(ClientService.concurrency)
        for id in 1...count + 1 { try await ask(id, .listShots(WireListShots())) }
        let refused = try await reply()
        #expect(refused.requestID == count + 1)
        #expect(refused.failure.problem.code == CaptureProblem.Code.noMemory.rawValue)
        try await ask(100, .getStatus(WireGetStatus()))
        #expect(try await reply().requestID == 100)
        try await ask(101, .trigger(WireTrigger()))
        #expect(try await reply().requestID == 101, "refused, since it is empty; but answered")
        catalogue.isOpen.change { $0 = true }
        var answered: Set<UInt64> = []
        while answered.count < count { answered.insert(try await reply().requestID) }
        #expect(answered == Set(1...count))
        serving.cancel()
        await serving.value
        await client.close()
        await sockets.close()
        await bench.end()
    }
}
