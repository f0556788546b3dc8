import CaptureDevices
import CaptureEngine
public import CaptureModel
import ClockSync
import FaultPoints
import Journal
public import Logging
import Movies
import PosixSupport
public import RigConfiguration
import RigWire
public import ServiceLifecycle
import Spool
import ZeroMQ

/// A node's agent: owns its cameras, keeps their rings, answers the coordinator, and goes on alone without one.
public struct Agent: Service {
    /// The version the bus is told.
    public static let software = "caprig-agent 0.1.0"

    private let configuration: AgentConfiguration
    private let log: Logger
    private let context: ZeroMQContext
    private let sockets: AgentSockets
    private let sessions: [CaptureSession]
    private let microphones: [NodeMicrophone]
    private let deferred: DeferredProcessor
    private let events: NodeEvents
    private let suspensions: SuspensionWatch
    private let spoolWatch: SpoolWatch
    /// nil where the configuration turns it off.
    private let pressureWatch: PressureWatch?
    private let spool: Spool
    private let member: RigMember
    private let control: ControlLink
    private let clockLink: ClockLink
    private let collect: CollectLink
    /// nil where the configuration turns the channel off.
    private let frames: FramesLink?
    private let clock: any TimeSource
    /// Captures with a further file, for the coordinator.
    /// What is beyond is counted, and the coordinator asks for it.
    private let grown: NewestQueue<CaptureReport>
    private let finisher: MovieFinisher
    /// Reports that may wait to be sent.
    private static let grownLimit = 1024

    /// Opens the spool and makes the sessions; no camera is opened and nothing is connected yet. Blocks on the disk.
    /// - Throws: Where the spool is in use or cannot be written, or the machine is out of threads or descriptors.
    public init(configuration: AgentConfiguration, clock: any TimeSource, log: Logger) throws {
        self.configuration = configuration
        self.clock = clock
        self.log = log
        let epoch = Epoch.random()
        let estimate = RigClockEstimate(clock: clock)
        let spool = try Self.openSpool(configuration, log)
        let journal = try EventJournal(
            folder: configuration.spool.folder + "/events", epoch: epoch, executor: try FileExecutor(name: "events"),
            fault: JournalFileFault.injection)
        let events = NodeEvents(journal: journal, clock: clock, rigClock: estimate, log: log)
        let deviceLog = DeviceLog(log)
        microphones = configuration.microphones.filter(\.enabled).map {
            NodeMicrophone($0, on: configuration.node, clock: clock, events: events, log: deviceLog)
        }
        let grow = NewestQueue<CaptureReport>(limit: Self.grownLimit)
        grown = grow
        deferred = try Self.makeDeferred(spool, events) { grow.yield($0) }
        finisher = MovieFinisher(executor: try FileExecutor(name: "movie-end"), clock: clock)
        let movieOutput = MovieFileOutput(writing: try FileExecutor(name: "movie"), finisher: finisher)
        sessions = try Self.makeSessions(
            configuration, clock, estimate, spool, events, microphones, deferred, movieOutput, deviceLog
        ) {
            grow.yield($0)
        }
        context = try ZeroMQContext()
        sockets = try AgentSockets(context: context)
        let identity = AgentIdentity(
            node: configuration.node, epoch: epoch, bootID: try BootID.ofThisMachine(), software: Self.software)
        let clockLink = ClockLink(socket: sockets.clock, estimate: estimate, clock: clock, log: log)
        let collect = CollectLink(
            socket: sockets.collect, identity: identity,
            files: CollectedFiles(spool: spool, chunkLimit: WireCoding.maximumChunkByteCount, log: log), clock: clock,
            log: log)
        let frames = try Self.makeFrames(
            configuration, context, sessions, microphones.map(\.session),
            FrameComposer(epoch: epoch, clock: clock, rigClock: estimate), log)
        let node = CaptureNode(
            name: configuration.node, sessions: sessions, microphones: microphones.map(\.session), spool: spool,
            rigClock: estimate
        ) {
            frames?.camerasSwitched()
        }
        let health = NodeHealth()
        let address = configuration.coordinator
        var controlLog = log
        controlLog[metadataKey: "coordinator.endpoint"] = "\(address)"
        control = ControlLink(socket: sockets.control, identity: identity, log: controlLog) {
            frames?.status(from: $0)
        }
        member = RigMember(
            identity: identity, node: node, events: events, spool: spool, rigClock: estimate, health: health,
            connection: control, clock: clock, log: controlLog
        ) { coordinator in
            await clockLink.follow(to: TCPEndpoint(host: address.host, port: coordinator.clockPort).description)
            await collect.follow(to: TCPEndpoint(host: address.host, port: coordinator.collectPort).description)
        }
        spoolWatch = SpoolWatch(
            spool: spool, sessions: sessions, health: health, events: events, clock: clock, log: log)
        pressureWatch = try Self.makePressureWatch(configuration, health, sessions, events, clock, log)
        suspensions = SuspensionWatch(
            sessions: sessions, events: events, estimate: estimate, clock: clock, log: log,
            probe: { await clockLink.probeAnew() })
        self.clockLink = clockLink
        self.collect = collect
        self.frames = frames
        self.events = events
        self.spool = spool
    }

    /// Serves until the task is cancelled, or a graceful shutdown is asked for and captures under way are finished; then
    /// the cameras are closed.
    /// - Throws: Where the frames channel's address is in use or not this machine's.
    public func run() async throws {
        try await frames?.bind()
        await events.endUnfinishedCaptures(in: spool)
        // Before anything is recorded, so that what is found is of an earlier life.
        let leftovers = await finisher.leftovers(in: spool)
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
                await AgentShutdown(member: member, sessions: sessions, spool: spool, clock: clock).run()
            }
            await group.next()
            group.cancelAll()
        }
        // Sessions record events until they have ended.
        await events.finish()
        await sockets.close()
        await frames?.close()
        log.info("the agent has ended", metadata: ["node": "\(configuration.node)"])
    }

    private func serve(finishing leftovers: [CaptureKey]) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await recover(leftovers) }
            for session in sessions { group.addTask { await session.run() } }
            group.addTask { await deferred.run() }
            for microphone in microphones {
                let isNeeded = configuration.devices.contains { $0.hasClips(with: microphone.session.device.id.device) }
                if isNeeded { await microphone.session.need(.clips) }
                group.addTask { await microphone.run() }
            }
            group.addTask {
                await HotPlug(sessions: sessions, microphones: microphones.map(\.session), log: log).run()
            }
            group.addTask { await events.run() }
            group.addTask { await suspensions.run() }
            group.addTask { await spoolWatch.run() }
            if let pressureWatch { group.addTask { await pressureWatch.run() } }
            group.addTask { await control.run(member) }
            group.addTask { await control.send(grown, of: member) }
            group.addTask { await clockLink.run() }
            group.addTask { await collect.run() }
            if let frames { group.addTask { await frames.run() } }
        }
    }

    /// Movies may be long, so the cameras do not wait for those of an earlier life.
    private func recover(_ leftovers: [CaptureKey]) async {
        for key in leftovers where !Task.isCancelled {
            guard let report = await finisher.recover(key, in: spool) else { continue }
            log.warning("a recording that was cut off is finished", metadata: ["capture": "\(key)"])
            grown.yield(report)
            let notice = RecordingNotice.didFinishRecording(
                report.movie, report.movie?.problem ?? report.failed.first?.problem)
            events.record(.recording(key, notice), of: key.device)
        }
    }

    /// Waits until every camera runs or has failed for the first time.
    /// - Returns: How many there are, and how many run.
    public func settled() async throws -> (devices: Int, running: Int) {
        while true {
            var states: [DeviceCondition.State] = []
            for session in sessions { states.append(await session.condition.state) }
            if !states.contains(.starting) { return (states.count, states.count { $0 == .running }) }
            try await clock.sleep(for: .milliseconds(5))
        }
    }

    /// Where the frames channel can be reached, as `tcp://HOST:PORT`; nil before ``run()`` has bound it, and where there is none.
    public var framesEndpoint: String? { frames?.status(from: nil)?.endpoint }

    private static func makeFrames(
        _ configuration: AgentConfiguration, _ context: ZeroMQContext, _ sessions: [CaptureSession],
        _ microphones: [SoundSession], _ composer: FrameComposer, _ log: Logger
    ) throws -> FramesLink? {
        guard configuration.frames.enabled else { return nil }
        return try FramesLink(
            context: context, settings: configuration.frames, sessions: sessions, microphones: microphones,
            composer: composer, log: log)
    }

    private static func makePressureWatch(
        _ configuration: AgentConfiguration, _ health: NodeHealth, _ sessions: [CaptureSession], _ events: NodeEvents,
        _ clock: any TimeSource, _ log: Logger
    ) throws -> PressureWatch? {
        guard configuration.pressure.enabled else { return nil }
        return PressureWatch(
            thresholds: configuration.pressure.thresholds, health: health, sessions: sessions, events: events,
            clock: clock, executor: try FileExecutor(name: "pressure"), log: log)
    }

    private static func openSpool(_ configuration: AgentConfiguration, _ log: Logger) throws -> Spool {
        let spool = try Spool(
            folder: configuration.spool.folder, limitBytes: configuration.spool.limit.bytes,
            reserveFreeBytes: configuration.spool.reserve.bytes, executor: try FileExecutor(name: "spool"),
            fault: Faults.injection(SpoolFileFault.self, RecordingFileFault.self, DeferredFileFault.self))
        for finding in spool.startupFindings {
            log.warning("the spool was repaired", metadata: ["finding": "\(finding)"])
        }
        return spool
    }

    /// Also where no camera may have clips any more: an earlier life may have left some.
    private static func makeDeferred(
        _ spool: Spool, _ events: NodeEvents, _ grow: @escaping @Sendable (CaptureReport) -> Void
    ) throws -> DeferredProcessor {
        let encoder = ExternalProgram.find(MovieEncoder.programName).map { MovieEncoder(program: $0) }
        let stills = ExternalProgram.find(HEICEncoder.programName).map { HEICEncoder(program: $0) }
        return DeferredProcessor(
            spool: spool, encoder: encoder, stills: stills, executor: try FileExecutor(name: "encode")
        ) { file in
            grow(file.report)
            events.record(file)
        }
    }

    private static func makeSessions(
        _ configuration: AgentConfiguration, _ clock: any TimeSource, _ estimate: RigClockEstimate, _ spool: Spool,
        _ events: NodeEvents, _ microphones: [NodeMicrophone], _ deferred: DeferredProcessor,
        _ movieOutput: MovieFileOutput, _ deviceLog: DeviceLog,
        _ grow: @escaping @Sendable (CaptureReport) -> Void
    ) throws -> [CaptureSession] {
        let enabled = configuration.devices.filter(\.enabled)
        let sceneMeter =
            try enabled.contains { $0.sceneChange != nil } ? SceneMeter(executor: FileExecutor(name: "scene")) : nil
        let clipMaker =
            try enabled.contains(where: \.live) ? ClipMaker(executor: FileExecutor(name: "clip")) : nil
        let darkroom = Darkroom(executor: try FileExecutor(name: "darkroom"))
        return try enabled.map { device in
            let description = device.description(on: configuration.node)
            let policy = SessionPolicy(
                ringDepth: configuration.ring.depth,
                ringByteLimit: Int(configuration.ring.memory.bytes) / max(enabled.count, 1), quality: device.quality,
                standby: device.standby, failureLimit: configuration.recovery.failures,
                goodPeriod: configuration.recovery.goodPeriod, isLivePhotoEnabled: device.live,
                isClipSoundRequired: device.audio == .required,
                sceneChange: device.sceneChange)
            return CaptureSession(
                device: description, camera: device.makeCamera(), format: device.formatRequest,
                preset: device.preset, maxPhotoDimensions: device.maxPhotoDimensions, policy: policy, clock: clock,
                rigClock: estimate, spool: spool,
                executor: try FileExecutor(name: "cam-\(device.name)".prefix(15).description), sceneMeter: sceneMeter,
                clipMaker: clipMaker, deferred: deferred,
                clipSound: device.microphone.flatMap { name in
                    microphones.first { $0.session.device.id.device == name }?.session
                }, raw: device.raw, darkroom: darkroom, movieOutput: movieOutput
            ) { event in
                if case .captureGrew(let report) = event { grow(report) }
                if case .conditionChanged(let device, let condition) = event {
                    deviceLog.note(device, .video, condition)
                }
                events.record(event, of: event.device)
            }
        }
    }
}

extension DeviceConfiguration {
    /// Whether clips and movies of this camera have the sound of that microphone, which then runs all the time: the sound
    /// before T is in the past when a shot is asked for.
    fileprivate func hasClips(with microphone: DeviceName) -> Bool {
        enabled && self.microphone == microphone
    }
}
