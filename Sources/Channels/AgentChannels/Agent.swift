public import CameraKit
public import CaptureModel
public import Logging
import NodeCore
public import RigConfiguration
import RigWire
public import ServiceLifecycle
import ZeroMQ

/// A node's agent: the node and its channels. It owns its cameras, keeps their rings, answers the coordinator, and goes on
/// alone without one.
public struct Agent: Service {
    /// The version the bus is told.
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
    /// nil where the configuration turns the channel off.
    private let frames: FramesLink?

    /// Opens the spool and makes the sessions; no camera is opened and nothing is connected yet. Blocks on the disk.
    /// - Parameter backends: Which tell when a device is plugged in.
    /// - Throws: Where the spool is in use or cannot be written, or the machine is out of threads or descriptors.
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

    /// Serves until the task is cancelled, or a graceful shutdown is asked for and captures under way are finished; then
    /// the cameras are closed.
    /// - Throws: Where the frames channel's address is in use or not this machine's.
    public func run() async throws {
        try await frames?.bind()
        // Before anything is recorded, so that what is found is of an earlier life.
        let leftovers = await node.recover()
        try await sockets.control.connect(to: configuration.coordinator.description)
        log.info(
            "the agent runs",
            metadata: ["node": "\(configuration.node)", "coordinator": "\(configuration.coordinator)"])
        await withTaskGroup { group in
            group.addTask { await serve(finishing: leftovers) }
            group.addTask {
                // Throws when the task is cancelled, which leaves no time for an orderly end.
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

    /// Waits until every camera runs or has failed for the first time.
    /// - Returns: How many there are, and how many run.
    public func settled() async throws -> (devices: Int, running: Int) {
        try await node.settled()
    }

    /// Where the frames channel can be reached, as `tcp://HOST:PORT`; nil before ``run()`` has bound it, and where there is none.
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
