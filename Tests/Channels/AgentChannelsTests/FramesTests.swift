import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Logging
import PosixSupport
import RigConfiguration
import RigProtocol
import RigWire
import Spool
import SystemClock
import Testing
import VirtualDevices
import ZeroMQ

@testable import AgentChannels
@testable import NodeCore

@Suite(.timeLimit(.minutes(10))) struct FramesTests {
    private let folder: TemporaryFolder
    private let context: ZeroMQContext
    private let executor: SocketExecutor

    init() throws {
        folder = try TemporaryFolder()
        context = try ZeroMQContext()
        executor = try SocketExecutor(name: "viewer")
    }

    /// Runs an agent of one camera, 640 × 360 and 10 frames a second, for as long as `body` takes.
    private func run(
        _ coordinator: FakeCoordinator, enabled: Bool = true, _ body: (Agent) async throws -> Void
    ) async throws {
        var camera = VirtualCameraConfiguration()
        (camera.width, camera.height, camera.framesPerSecond) = (640, 360, 10)
        var configuration = AgentConfiguration(
            node: try NodeName("north"), coordinator: try #require(TCPEndpoint(coordinator.endpoint)),
            devices: [
                DeviceConfiguration(
                    name: try DeviceName("cam"), orientation: .degrees180, mirrored: true, purpose: "test",
                    source: .virtual(camera))
            ])
        configuration.frames.enabled = enabled
        configuration.frames.preview = .init(width: 320, height: 180)
        configuration.spool.folder = folder.path + "/spool"
        configuration.spool.reserve = .mebibytes(0)
        var log = Logger(label: "test")
        log.logLevel = .critical
        let agent = try Agent(
            configuration: configuration, backends: [VirtualBackend()], clock: SystemTimeSource(), log: log)
        let running = Task { try await agent.run() }
        do {
            _ = try await agent.waitUntilStarted()
            try await body(agent)
        } catch {
            running.cancel()
            _ = await running.result
            throw error
        }
        running.cancel()
        _ = await running.result
    }

    /// The first heartbeat that fulfils the condition.
    private func heartbeat(
        _ coordinator: FakeCoordinator, _ isMeant: @escaping @Sendable (WireHeartbeat) -> Bool
    ) async throws -> WireHeartbeat {
        try #require(await coordinator.message { isMeant($0.heartbeat) }).heartbeat
    }

    private func viewer(_ agent: Agent, _ topic: String) async throws -> SubscriberSocket {
        let socket = try SubscriberSocket(context: context, executor: executor)
        try await socket.subscribe(Array(topic.utf8) + [0])
        try await socket.connect(to: try #require(agent.framesEndpoint))
        return socket
    }

    private func frame(_ socket: SubscriberSocket) async throws -> (header: FrameHeader, payload: [UInt8]) {
        let part = try #require(await socket.receive()?.parts.first)
        let (header, start) = try part.withSpan { try FrameEnvelope.open($0) }
        return (header, Array(part.bytes[start...]))
    }

    @Test("Sends frames with times, size, orientation and number")
    func published() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator) { agent in
            _ = await coordinator.message { $0.heartbeat.hasClockBoundNs }
            let preview = try await viewer(agent, "north/cam/preview")
            let full = try await viewer(agent, "north/cam/full")
            for number in 1...3 as ClosedRange<UInt64> {
                let (header, payload) = try await frame(preview)
                #expect(header.number == number && header.width == 320 && header.height == 180)
                #expect(header.orientation == .degrees180 && header.isMirrored && header.format == "JPEG")
                #expect(header.midExposure < header.dequeued && header.dequeued <= header.published)
                let rig = try #require(header.rig)
                #expect(rig.midExposure.bound == header.stampBound + rig.clockBound)
                #expect(payload.starts(with: [0xFF, 0xD8]) && payload.suffix(2) == [0xFF, 0xD9])
            }
            #expect(try await frame(full).header.width == 640)
        }
    }

    @Test("Makes previews exactly while somebody watches")
    func onlyWhileWatched() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator) { agent in
            let quiet = try await heartbeat(coordinator) { $0.hasFrames && $0.sequence > 6 }
            #expect(quiet.frames.scaled == 0 && quiet.frames.published == 0)
            let socket = try await viewer(agent, "north/cam/half")
            _ = try await frame(socket)
            _ = try await heartbeat(coordinator) { $0.frames.watched == 1 && $0.frames.scaled > 0 }
            await socket.close()
            let idle = try await heartbeat(coordinator) { $0.frames.published > 0 && $0.frames.watched == 0 }
            // A frame may be on its way while its viewer goes.
            let later = try await heartbeat(coordinator) { $0.sequence > idle.sequence + 10 }
            #expect(later.frames.scaled <= idle.frames.scaled + 1)
        }
    }

    @Test("Matches a subscription with the whole camera name")
    func prefixOfAName() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator) { agent in
            let stranger = try await viewer(agent, "north/ca")
            let viewer = try await viewer(agent, "north/cam/full")
            _ = try await frame(viewer)
            #expect(try await heartbeat(coordinator) { $0.frames.published > 0 }.frames.watched == 1)
            await stranger.close()
        }
    }

    @Test("Counts a viewer that is disconnected for too many topics")
    func refusedConnections() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator) { agent in
            #expect(try await heartbeat(coordinator) { $0.hasFrames }.frames.refusedConnections == 0)
            let greedy = try await viewer(agent, "north/cam/preview")
            for number in 1...256 { try await greedy.subscribe("greedy/\(number)") }
            _ = try await heartbeat(coordinator) { $0.frames.refusedConnections > 0 }
            await greedy.close()
        }
    }

    @Test("Listens nowhere when frames are disabled")
    func disabled() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator, enabled: false) { agent in
            #expect(agent.framesEndpoint == nil)
            let hello = try #require(await coordinator.message { $0.hello.protocolVersion == ProtocolVersion.current })
            #expect(!hello.hello.hasFrames)
        }
    }

    @Test(
        "Viewers are told an address that they can connect to",
        arguments: [
            // Bound, advertised by the configuration, of the connection to the coordinator, another of the machine's; told.
            ("127.0.0.1", nil, "10.0.0.2", "10.0.0.3", "127.0.0.1"), ("::1", nil, "10.0.0.2", "10.0.0.3", "::1"),
            ("10.0.0.2", "nat.example", "10.0.0.2", nil, "nat.example"), ("0.0.0.0", "edge7", nil, nil, "edge7"),
            ("0.0.0.0", nil, "10.0.0.2", "10.0.0.3", "10.0.0.2"), ("::", nil, "10.0.0.2", "10.0.0.3", "10.0.0.2"),
            ("::", nil, "fd00::2", "10.0.0.3", "fd00::2"), ("0.0.0.0", nil, "fd00::2", "10.0.0.3", "10.0.0.3"),
            ("::", nil, "127.0.0.1", "10.0.0.3", "10.0.0.3"), ("::", nil, "::1", "fd00::3", "fd00::3"),
            ("::", nil, "fe80::2%eth0", "10.0.0.3", "10.0.0.3"), ("::", nil, nil, "10.0.0.3", "10.0.0.3"),
            // A machine without a network.
            ("::", nil, "::1", nil, "::1"), ("0.0.0.0", nil, nil, nil, "127.0.0.1"),
        ])
    func advertised(bound: String, advertise: String?, local: String?, other: String?, expected: String) {
        let host = FramesAddress.reachable(bound: bound, advertise: advertise, localAddress: local, otherAddress: other)
        #expect(host == expected)
    }

    @Test(
        "What a socket is bound to is read as libzmq tells it",
        arguments: [("tcp://127.0.0.1:9", "127.0.0.1"), ("tcp://[::1]:9", "::1"), ("tcp://[::]:9", "::")])
    func bound(endpoint: String, host: String) {
        #expect(FramesAddress.bound(endpoint) == FramesStatus(host: host, port: 9))
    }
}

@Suite(.timeLimit(.minutes(10))) struct FramesDemandTests {
    @Test("Shows frames to a viewer that subscribed before the session started")
    func earlyViewer() async throws {
        let folder = try TemporaryFolder()
        let context = try ZeroMQContext()
        let session = try Self.session(folder)
        var log = Logger(label: "test")
        log.logLevel = .critical
        let link = try FramesLink(
            context: context, settings: AgentConfiguration.Frames(), sessions: [session],
            composer: FrameComposer(epoch: .random(), clock: SystemTimeSource(), rigClock: FixedRigClock()), log: log)
        try await link.bind()
        let viewer = try SubscriberSocket(context: context, executor: try SocketExecutor(name: "viewer"))
        try await viewer.subscribe(Array("north/cam/full".utf8) + [0])
        try await viewer.connect(to: try #require(link.status(from: nil)?.endpoint))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await link.run() }
            while link.status(from: nil)?.watched == 0 { await Task.yield() }
            // So that what the link asks of the session because of that has been asked.
            for _ in 0..<1000 {
                await link.pass()
                _ = await session.condition
            }
            group.addTask { await session.run() }
            let message = await viewer.receive()
            #expect(message?.parts.first != nil)
            group.cancelAll()
        }
        await link.close()
    }

    /// A camera that runs only while something needs it.
    private static func session(_ folder: TemporaryFolder) throws -> CaptureSession {
        var configuration = VirtualCameraConfiguration()
        (configuration.width, configuration.height) = (160, 120)
        let clock = SystemTimeSource()
        let spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        let device = CaptureDevice(
            description: DeviceDescription(id: try DeviceID("north/cam"), driver: "virtual"),
            camera: VirtualCamera(name: "cam", configuration: configuration))
        return try CaptureSession(
            SessionConfiguration(
                input: CaptureDeviceInput(device: device), policy: SessionPolicy(standby: .onDemand)),
            services: SessionServices(
                clock: clock, rigClock: FixedRigClock(), spool: spool, executor: try ThreadExecutor(name: "cam")
            ) { _ in })
    }
}

extension FramesLink {
    /// Returns behind what its thread has been given to do.
    fileprivate func pass() {}
}
