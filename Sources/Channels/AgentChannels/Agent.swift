public import CameraKit
import CaptureEngine
public import CaptureModel
public import FaultPoints
import Journal
public import Logging
import Movies
import NodeCore
import Recording
public import RigConfiguration
import RigWire
public import ServiceLifecycle
import Spool
import ZeroMQ

/// A node's agent: the node and its channels. It owns its cameras, maintains their rings and answers the coordinator.
/// Without a coordinator it continues to run.
public struct Agent: Service {
    /// The version that the agent reports to the coordinator.
    public static let software = "caprig-agent 0.1.0"

    private let configuration: AgentConfiguration
    private let log: Logger
    private let context: ZeroMQContext
    private let sockets: AgentSockets
    private let node: LocalNode
    private let member: RigMember
    private let control: ControlLink
    private let clockLink: ClockLink
    private let collect: CollectLink
    /// nil if the configuration disables the channel.
    private let frames: FramesLink?

    /// Opens the spool and creates the sessions. Opens no camera and connects nothing. Blocks on the disk.
    /// - Parameter backends: The backends that report when a device is plugged in.
    /// - Throws: If the spool is in use or cannot be written, or the machine is out of threads or descriptors.
    public init(
        configuration: AgentConfiguration, backends: [any CaptureBackend], clock: any TimeSource, log: Logger
    ) throws {
        self.configuration = configuration
        self.log = log
        let node = try LocalNode(
            configuration: configuration, backends: backends, software: Self.software, clock: clock, log: log)
        let context = try ZeroMQContext()
        let sockets = try AgentSockets(context: context)
        let clockLink = ClockLink(socket: sockets.clock, estimate: node.estimate, clock: clock, log: log)
        let collect = CollectLink(
            socket: sockets.collect, identity: node.identity,
            files: node.files(chunkLimit: WireCoding.maximumChunkByteCount), clock: clock, log: log)
        let frames = try Self.makeFrames(configuration, context, node, clock, log)
        let address = configuration.coordinator
        var controlLog = log
        controlLog[metadataKey: "coordinator.endpoint"] = "\(address)"
        control = ControlLink(socket: sockets.control, identity: node.identity, log: controlLog) {
            frames?.status(from: $0)
        }
        member = node.member(connection: control, log: controlLog, switched: { frames?.camerasSwitched() }) {
            coordinator in
            await clockLink.follow(to: TCPEndpoint(host: address.host, port: coordinator.clockPort).description)
            await collect.follow(to: TCPEndpoint(host: address.host, port: coordinator.collectPort).description)
        }
        self.context = context
        self.sockets = sockets
        self.node = node
        self.clockLink = clockLink
        self.collect = collect
        self.frames = frames
    }

    /// Serves until the task is cancelled, or until a graceful shutdown is requested and captures under way are
    /// finished. Then closes the cameras.
    /// - Throws: If the frames channel's address is in use or is not an address of this machine.
    public func run() async throws {
        try await frames?.bind()
        // Before anything is recorded, so that everything found is from an earlier run.
        let leftovers = await node.recover()
        try await sockets.control.connect(to: configuration.coordinator.description)
        log.info(
            "the agent runs",
            metadata: ["node": "\(configuration.node)", "coordinator": "\(configuration.coordinator)"])
        await withTaskGroup { group in
            group.addTask { await serve(finishing: leftovers) }
            group.addTask {
                // Throws when the task is cancelled. Then there is no time for an orderly end.
                guard (try? await gracefulShutdown()) != nil else { return }
                log.info("the agent is ending")
                await node.shutDown(member)
            }
            await group.next()
            group.cancelAll()
        }
        await node.end()
        await sockets.close()
        await frames?.close()
        log.info("the agent has ended", metadata: ["node": "\(configuration.node)"])
    }

    private func serve(finishing leftovers: [CaptureKey]) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await node.run(finishing: leftovers) { await clockLink.probeAnew() } }
            group.addTask { await control.run(member) }
            group.addTask { await control.send(node.grown, of: member) }
            group.addTask { await clockLink.run() }
            group.addTask { await collect.run() }
            if let frames { group.addTask { await frames.run() } }
        }
    }

    /// Waits until every camera has started or failed for the first time.
    /// - Returns: The number of devices, and how many of them run.
    public func waitUntilStarted() async throws -> (devices: Int, running: Int) {
        try await node.waitUntilStarted()
    }

    /// The endpoint of the frames channel, as `tcp://HOST:PORT`; nil before ``run()`` has bound it, and if the channel
    /// is disabled.
    public var framesEndpoint: String? { frames?.status(from: nil)?.endpoint }

    private static func makeFrames(
        _ configuration: AgentConfiguration, _ context: ZeroMQContext, _ node: LocalNode, _ clock: any TimeSource,
        _ log: Logger
    ) throws -> FramesLink? {
        guard configuration.frames.enabled else { return nil }
        return try FramesLink(
            context: context, settings: configuration.frames, sessions: node.sessions, microphones: node.soundSessions,
            composer: FrameComposer(epoch: node.identity.epoch, clock: clock, rigClock: node.estimate), log: log)
    }
}

extension Agent {
    /// All fault points of an agent.
    public static let faultPoints = FaultCatalogue([
        ClockSendFault.self, ClockWaitFault.self, CollectSendFault.self, CollectWaitFault.self, ControlSendFault.self,
        ControlWaitFault.self, FramesSendFault.self, FramesWaitFault.self, JournalFault.self, JournalFileFault.self,
        MemberFault.self, DeferredFault.self, DeferredFileFault.self, EncoderFault.self, MovieFault.self,
        RecordingFault.self, RecordingFileFault.self, SessionFault.self, SpoolFault.self, SpoolFileFault.self,
    ])
}

/// The agent's three connections. The clock has a separate thread, so that bulk data cannot delay its time stamps.
struct AgentSockets: Sendable {
    let control: DealerSocket
    let clock: DealerSocket
    let collect: DealerSocket

    init(context: ZeroMQContext) throws(ZeroMQError) {
        control = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-control"),
            options: Self.options(WireCoding.control.maximumByteCount))
        clock = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-clock"),
            options: Self.options(WireCoding.clock.maximumByteCount))
        // The limit also applies to sent messages.
        var collectOptions = Self.options(WireCoding.maximumChunkByteCount)
        // The window of chunks that the coordinator may have under way, with a margin.
        collectOptions.sendQueueByteLimit = 64 << 20
        collect = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-collect"), options: collectOptions)
    }

    func close() async {
        await control.close()
        await clock.close()
        await collect.close()
    }

    private static func options(_ maximumMessageSize: Int) -> SocketOptions {
        var options = SocketOptions()
        options.maximumMessageSize = maximumMessageSize
        options.reconnectIntervalMax = .seconds(1)
        return options
    }
}
