public import CameraKit
import CaptureEngine
public import CaptureModel
import ChannelSecurity
import ControlMessages
public import FaultPoints
import Journal
import KeyFiles
public import Logging
import Movies
import NodeCore
import PosixSupport
import Recording
import RigAccess
public import RigConfiguration
public import RigSecurity
import RigWire
public import ServiceLifecycle
import Spool
public import ZeroMQ

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
    /// nil without keys.
    private let path: CoordinatorPath?
    private let clockLink: ClockLink
    private let collect: CollectLink
    /// nil if the configuration disables the channel.
    private let frames: FramesLink?
    private let clock: any TimeSource
    /// nil without keys.
    private let security: AgentSecurity?
    /// Yields once, when the agent runs.
    private let running = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Opens the spool and creates the sessions. Opens no camera and connects nothing. Blocks on the disk.
    /// - Parameters:
    ///   - backends: The backends that report when a device is plugged in.
    ///   - keys: With keys, the agent connects only to the coordinator that it has joined, and only admitted keys watch.
    ///     nil for a rig in which anybody may do everything.
    ///   - discipline: How this machine's clock is kept in step; nil if the configuration leaves it off.
    ///   - standing: Asks a coordinator that refuses the agent's connections why it does.
    /// - Throws: If the spool is in use or cannot be written, or the machine is out of threads or descriptors.
    public init(
        configuration: AgentConfiguration, backends: [any CaptureBackend], keys: AgentKeys? = nil,
        discipline: (any ClockDiscipline)? = nil, standing: StandingQuestion? = nil, clock: any TimeSource, log: Logger
    ) throws {
        self.configuration = configuration
        self.log = log
        self.clock = clock
        let node = try LocalNode(
            configuration: configuration, backends: backends, software: Self.software, discipline: discipline,
            clock: clock, log: log)
        let context = try ZeroMQContext(ioThreads: AgentSockets.ioThreadCount)
        if let keys {
            security = try AgentSecurity(keys, of: context, log: log)
        } else {
            security = nil
        }
        let sockets = try AgentSockets(context: context, security: keys?.toCoordinator ?? .none)
        let clockLink = ClockLink(socket: sockets.clock, estimate: node.estimate, clock: clock, log: log)
        let collect = CollectLink(
            socket: sockets.collect, identity: node.identity,
            files: node.files(chunkLimit: WireCoding.maximumChunkByteCount), clock: clock, log: log)
        let frames = try Self.makeFrames(configuration, context, node, keys, clock, log)
        let address = configuration.coordinator
        var controlLog = log
        controlLog[metadataKey: "coordinator.endpoint"] = "\(address)"
        let path = try keys.map {
            try CoordinatorPath($0, to: address.description, sockets: sockets, clock: clock, log: controlLog)
        }
        self.path = path
        control = ControlLink(
            socket: sockets.control, path: path, identity: node.identity, clock: clock, log: controlLog
        ) {
            guard let path, let keys, let standing, let (refusing, key) = await path.target else { return nil }
            guard let answer = await standing(refusing, keys.pair, key, context) else { return .unknown(refusing) }
            guard answer.channel == .control else {
                return .wrongPort(refusing, control: refusing.channel(.control, from: answer.channel) ?? refusing)
            }
            return .standing(answer.standing)
        } framesStatus: {
            frames?.status(from: $0)
        }
        member = node.member(connection: control, log: controlLog, switched: { frames?.camerasSwitched() }) {
            welcome in
            await clockLink.follow(to: TCPEndpoint(host: address.host, port: welcome.clockPort).description)
            await collect.follow(to: TCPEndpoint(host: address.host, port: welcome.collectPort).description)
        } admitted: { viewers in
            await keys?.viewers.accept(viewers)
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
        defer { running.continuation.finish() }
        try await frames?.bind()
        if let security, let listening = frames?.listening { try await testGate(security, listening) }
        // Before anything is recorded, so that everything found is from an earlier run.
        let leftovers = await node.recover()
        try await connect()
        log.info(
            "the agent runs",
            metadata: ["node": "\(configuration.node)", "coordinator": "\(configuration.coordinator)"])
        running.continuation.yield()
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

    private func connect() async throws(ZeroMQError) {
        guard let path else { return try await sockets.control.connect(to: configuration.coordinator.description) }
        try await path.connect()
    }

    private func serve(finishing leftovers: [CaptureKey]) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await node.run(finishing: leftovers) { await clockLink.probeAnew() } }
            group.addTask { await control.run(member) }
            if let path { group.addTask { await path.run() } }
            group.addTask { await control.send(node.grown, of: member) }
            group.addTask { await member.watchAbilities() }
            group.addTask { await clockLink.run() }
            group.addTask { await collect.run() }
            if let frames { group.addTask { await frames.run() } }
            if let security { group.addTask { await enforceViewers(security.keys) } }
        }
    }

    /// - Throws: ``GateFailure`` if the frames channel admits a stranger.
    private func testGate(_ security: AgentSecurity, _ socket: ListeningSocket) async throws {
        try await GateTest.refusesStrangers(
            at: [socket.domain: socket.endpoint], key: security.keys.pair.publicKey, gate: security.gate,
            context: context,
            clock: clock)
    }

    /// Ends the connections of viewers whose keys have lost their rights, until the task is cancelled.
    private func enforceViewers(_ keys: AgentKeys) async {
        let decided = keys.viewers.snapshot
        let listeners = ChannelListeners(
            [frames?.listening].compactMap(\.self), pair: keys.pair, clock: clock, log: log)
        await withDiscardingTaskGroup { group in
            group.addTask { [frames] in
                await listeners.follow(keys.viewers.changes, since: decided) { snapshot in
                    frames?.enforced(revision: snapshot.revision)
                }
            }
            group.addTask { await keys.viewers.run() }
        }
    }

    /// Waits until the agent runs: its spool is read, its frames channel listens, and its cameras are being opened. One task may wait.
    /// - Throws: `CancellationError` if it never runs.
    public func waitUntilRunning() async throws {
        for await _ in running.stream { return }
        throw CancellationError()
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
        _ configuration: AgentConfiguration, _ context: ZeroMQContext, _ node: LocalNode, _ keys: AgentKeys?,
        _ clock: any TimeSource, _ log: Logger
    ) throws -> FramesLink? {
        guard configuration.frames.enabled else { return nil }
        return try FramesLink(
            context: context, settings: configuration.frames, keys: keys?.pair, sessions: node.sessions,
            microphones: node.soundSessions,
            composer: FrameComposer(epoch: node.identity.epoch, clock: clock, rigClock: node.estimate), log: log)
    }
}

extension Agent {
    /// All fault points of an agent.
    public static let faultPoints = FaultCatalogue([
        AgentClockSendFault.self, ClockWaitFault.self, AgentCollectSendFault.self, AgentCollectWaitFault.self,
        AgentControlSendFault.self,
        AgentControlWaitFault.self, FramesSendFault.self, FramesWaitFault.self, GateFault.self, JournalFault.self,
        JournalFileFault.self,
        MemberFault.self, DeferredFault.self, DeferredFileFault.self, EncoderFault.self, MovieFault.self,
        RecordingFault.self, RecordingFileFault.self, SessionFault.self, SpoolFault.self, SpoolFileFault.self,
    ])
}

/// Asks the coordinator that refuses the agent at this endpoint, and has this key, whether it admits the agent's key, and which of its
/// channels the endpoint is; nil without an answer. It may use sockets of the agent's context.
public typealias StandingQuestion =
    @Sendable (TCPEndpoint, CurveKeyPair, CurvePublicKey, ZeroMQContext) async -> (
        standing: KeyStanding, channel: CoordinatorPort
    )?

/// An agent's keys, and the gate that decides by them who may watch.
private struct AgentSecurity: Sendable {
    let keys: AgentKeys
    let gate: ConnectionGate

    init(_ keys: AgentKeys, of context: ZeroMQContext, log: Logger) throws {
        let refused = RefusedViewers(log: log)
        self.keys = keys
        gate = try keys.gate(of: context) { refused.note($0) }
    }
}

/// Counts viewers that the frames channel refuses, and tells of the first of each reason.
private final class RefusedViewers: Sendable {
    private let told = Locked<Set<String>>([])
    private let log: Logger

    init(log: Logger) {
        self.log = log
    }

    /// Takes note of a refusal. Any thread.
    func note(_ connection: RefusedConnection) {
        let reason = connection.reason.rawValue
        guard told.withLock({ $0.insert(reason).inserted }) else { return }
        log.warning(
            "viewers are refused", metadata: ["reason": "\(reason)", "first": "\(connection.address)"])
    }
}

/// The agent's three connections. The clock has a thread and an I/O thread of its own, so that bulk data and its encryption
/// cannot delay its time stamps.
struct AgentSockets: Sendable {
    /// The I/O threads of the agent's context: one for everything else, and one for the clock.
    static let ioThreadCount = 2
    static let bulkThread = 0
    private static let clockThread = 1

    let control: DealerSocket
    let clock: DealerSocket
    let collect: DealerSocket

    init(context: ZeroMQContext, security: SocketSecurity) throws(ZeroMQError) {
        control = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-control"),
            options: Self.options(WireCoding.control.maximumByteCount, security))
        clock = try DealerSocket(
            context: context, executor: try SocketExecutor(name: "zmq-clock"),
            options: Self.options(WireCoding.clock.maximumByteCount, security, ioThread: Self.clockThread))
        // The limit also applies to sent messages.
        var collectOptions = Self.options(WireCoding.maximumChunkByteCount, security)
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

    private static func options(
        _ maximumMessageSize: Int, _ security: SocketSecurity, ioThread: Int = bulkThread
    ) -> SocketOptions {
        var options = SocketOptions()
        options.security = security
        options.ioThread = ioThread
        options.maximumMessageSize = maximumMessageSize
        options.reconnectIntervalMax = .seconds(1)
        return options
    }
}
