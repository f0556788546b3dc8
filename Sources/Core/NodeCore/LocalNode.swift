package import CameraKit
package import CaptureEngine
package import CaptureModel
package import ClockSync
package import ControlMessages
import FaultPoints
import Journal
package import Logging
import Movies
import PosixSupport
import Recording
package import RigConfiguration
package import Sound
import Spool

/// The node of this machine without its channels: spool, cameras, microphones, events, and their watchers. It continues
/// to work while no coordinator is connected.
package struct LocalNode: Sendable {
    package let identity: AgentIdentity
    /// The estimate of rig time, which a channel feeds.
    package let estimate: RigClockEstimate
    package let sessions: [CaptureSession]
    /// Captures that have gained a file, for the coordinator. The coordinator requests reports that this queue dropped.
    package let grown: NewestQueue<CaptureReport>
    private let configuration: AgentConfiguration
    private let backends: [any CaptureBackend]
    private let log: Logger
    private let clock: any TimeSource
    private let microphones: [NodeMicrophone]
    private let deferred: DeferredProcessor
    private let events: NodeEvents
    private let spoolWatch: SpoolWatch
    /// nil if the configuration disables it.
    private let pressureWatch: PressureWatch?
    /// nil if the configuration leaves it off.
    private let disciplineWatch: DisciplineWatch?
    private let spool: Spool
    private let health = NodeHealth()
    private let finisher: MovieFinisher
    private let stampFiles: StampFiles
    /// Number of reports that may wait to be sent.
    private static let grownLimit = 1024

    /// Opens the spool and creates the sessions. No camera is opened yet. Blocks on the disk.
    /// - Parameters:
    ///   - backends: The backends that report when a device is plugged in.
    ///   - software: Name and version of the program, for people.
    ///   - discipline: How this machine's clock is kept in step; nil if the configuration leaves it off.
    /// - Throws: If the spool is in use or cannot be written, or if the machine is out of threads or descriptors.
    package init(
        configuration: AgentConfiguration, backends: [any CaptureBackend], software: String,
        discipline: (any ClockDiscipline)? = nil, clock: any TimeSource, log: Logger
    ) throws {
        self.configuration = configuration
        self.backends = backends
        self.clock = clock
        self.log = log
        let epoch = Epoch.random()
        let estimate = RigClockEstimate(clock: clock)
        let spool = try Self.openSpool(configuration, log)
        let journal = try EventJournal(
            folder: configuration.spool.folder + "/events", epoch: epoch, executor: try ThreadExecutor(name: "events"),
            fault: JournalFileFault.injection)
        let events = NodeEvents(journal: journal, clock: clock, rigClock: estimate, log: log)
        let deviceLog = DeviceLog(log)
        microphones = try configuration.microphones.filter(\.enabled).map {
            try NodeMicrophone($0, on: configuration.node, clock: clock, events: events, log: deviceLog)
        }
        let grow = NewestQueue<CaptureReport>(limit: Self.grownLimit)
        grown = grow
        deferred = try Self.makeDeferred(spool, events) { grow.yield($0) }
        finisher = MovieFinisher(executor: try ThreadExecutor(name: "movie-end"), clock: clock)
        let movieOutput = MovieFileOutput(writing: try ThreadExecutor(name: "movie"), finisher: finisher)
        let cameraThread = try ThreadExecutor(name: "cameras")
        stampFiles = try StampFiles(
            path: configuration.spool.folder + "/stamps", devices: configuration.devices,
            executor: cameraThread)
        sessions = try Self.makeSessions(
            configuration, clock, estimate, spool, events, microphones, deferred, movieOutput, deviceLog, stampFiles,
            try CameraFiles(path: configuration.spool.folder + "/cameras", executor: cameraThread)
        ) {
            grow.yield($0)
        }
        identity = AgentIdentity(
            node: configuration.node, epoch: epoch, bootID: try BootID.ofThisMachine(), software: software)
        spoolWatch = SpoolWatch(
            spool: spool, sessions: sessions, health: health, events: events, clock: clock, log: log)
        pressureWatch = try Self.makePressureWatch(configuration, health, sessions, events, clock, log)
        disciplineWatch = discipline.map {
            DisciplineWatch(discipline: $0, estimate: estimate, events: events, clock: clock, log: log)
        }
        self.estimate = estimate
        self.events = events
        self.spool = spool
    }

    /// The sessions of the microphones.
    package var soundSessions: [SoundSession] { microphones.map(\.session) }

    /// Returns the files of the spool, for the collecting channel.
    /// - Parameter chunkLimit: Bytes in a chunk.
    package func files(chunkLimit: Int) -> CollectedFiles {
        CollectedFiles(spool: spool, sessions: sessions, chunkLimit: chunkLimit, log: log)
    }

    /// Returns the node as a member of its rig.
    /// - Parameters:
    ///   - connection: The connection to the coordinator.
    ///   - switched: Called when two sessions have exchanged their cameras.
    ///   - joined: Called for every welcome, so that the other channels follow.
    ///   - admitted: Called with every list of the keys that may watch.
    package func member(
        connection: any CoordinatorConnection, log: Logger, switched: @escaping @Sendable () -> Void,
        joined: @escaping @Sendable (Welcome) async -> Void,
        admitted: @escaping @Sendable (AdmittedViewers) async -> Void
    ) -> RigMember {
        let node = CaptureNode(
            name: configuration.node, sessions: sessions, microphones: soundSessions, spool: spool, rigClock: estimate,
            stampFiles: stampFiles, switched: switched)
        return RigMember(
            identity: identity, node: node, events: events, spool: spool, rigClock: estimate, health: health,
            connection: connection, clock: clock, log: log, joined: joined, admitted: admitted)
    }

    /// Ends what an earlier run has left open, before anything is recorded.
    /// - Returns: Recordings that were cut off, for ``run(finishing:probe:)``.
    package func recover() async -> [CaptureKey] {
        await events.endUnfinishedCaptures(in: spool)
        return await finisher.leftovers(in: spool)
    }

    /// Works until the task is cancelled, then closes the cameras.
    /// - Parameter probe: Starts the estimation of rig time again after the machine slept.
    package func run(finishing leftovers: [CaptureKey], probe: @escaping @Sendable () async -> Void) async {
        let suspensions = SuspensionWatch(
            sessions: sessions, events: events, estimate: estimate, clock: clock, log: log, probe: probe)
        await withDiscardingTaskGroup { group in
            group.addTask { await finish(leftovers) }
            for session in sessions { group.addTask { await session.run() } }
            group.addTask { await deferred.run() }
            for microphone in microphones {
                let isNeeded = configuration.devices.contains { $0.hasClips(with: microphone.session.device.id.device) }
                if isNeeded { await microphone.session.need(.clips) }
                group.addTask { await microphone.run() }
            }
            group.addTask {
                await HotPlug(backends: backends, sessions: sessions, microphones: soundSessions, log: log).run()
            }
            group.addTask { await events.run() }
            group.addTask { await suspensions.run() }
            group.addTask { await spoolWatch.run() }
            if let pressureWatch { group.addTask { await pressureWatch.run() } }
            if let disciplineWatch { group.addTask { await disciplineWatch.run() } }
        }
    }

    /// Refuses further shots and hands over those in progress. Returns when the cameras may be closed.
    package func shutDown(_ member: RigMember) async {
        await AgentShutdown(member: member, sessions: sessions, spool: spool, clock: clock).run()
    }

    /// Journals the events that were recorded before everything ended.
    package func end() async {
        await events.finish()
    }

    /// Finishes recordings of an earlier run. Movies may be long, so the cameras do not wait for this.
    private func finish(_ leftovers: [CaptureKey]) async {
        for key in leftovers where !Task.isCancelled {
            guard let report = await finisher.recover(key, in: spool) else { continue }
            log.warning("an interrupted recording is finished", metadata: ["capture": "\(key)"])
            grown.yield(report)
            let notice = RecordingNotice.didFinishRecording(
                report.movie, report.movie?.problem ?? report.failed.first?.problem)
            events.record(.recording(key, notice), of: key.device)
        }
    }

    /// Waits until every camera runs or has failed for the first time.
    /// - Returns: The number of cameras, and how many of them run.
    package func waitUntilStarted() async throws -> (devices: Int, running: Int) {
        while true {
            var states: [DeviceCondition.State] = []
            for session in sessions { states.append(await session.condition.state) }
            if !states.contains(.starting) { return (states.count, states.count { $0 == .running }) }
            try await clock.sleep(for: .milliseconds(5))
        }
    }

    private static func makePressureWatch(
        _ configuration: AgentConfiguration, _ health: NodeHealth, _ sessions: [CaptureSession], _ events: NodeEvents,
        _ clock: any TimeSource, _ log: Logger
    ) throws -> PressureWatch? {
        guard configuration.pressure.enabled else { return nil }
        return PressureWatch(
            thresholds: configuration.pressure.thresholds, health: health, sessions: sessions, events: events,
            clock: clock, executor: try ThreadExecutor(name: "pressure"), log: log)
    }

    private static func openSpool(_ configuration: AgentConfiguration, _ log: Logger) throws -> Spool {
        let spool = try Spool(
            folder: configuration.spool.folder, limitBytes: configuration.spool.limit.bytes,
            reserveFreeBytes: configuration.spool.reserve.bytes, executor: try ThreadExecutor(name: "spool"),
            fault: Faults.injection(SpoolFileFault.self, RecordingFileFault.self, DeferredFileFault.self))
        for finding in spool.startupFindings {
            log.warning("the spool was repaired", metadata: ["finding": "\(finding)"])
        }
        return spool
    }

    /// Makes the processor even if no camera may have clips, because an earlier run may have left some.
    private static func makeDeferred(
        _ spool: Spool, _ events: NodeEvents, _ grow: @escaping @Sendable (CaptureReport) -> Void
    ) throws -> DeferredProcessor {
        let encoder = ExternalProgram.find(MovieEncoder.programName).map { MovieEncoder(program: $0) }
        let stills = ExternalProgram.find(HEICEncoder.programName).map { HEICEncoder(program: $0) }
        return DeferredProcessor(
            spool: spool, encoder: encoder, stills: stills, executor: try ThreadExecutor(name: "encode")
        ) { file in
            grow(file.report)
            events.record(file)
        }
    }

    private static func makeSessions(
        _ configuration: AgentConfiguration, _ clock: any TimeSource, _ estimate: RigClockEstimate, _ spool: Spool,
        _ events: NodeEvents, _ microphones: [NodeMicrophone], _ deferred: DeferredProcessor,
        _ movieOutput: MovieFileOutput, _ deviceLog: DeviceLog, _ stampFiles: StampFiles,
        _ cameraFiles: CameraFiles,
        _ grow: @escaping @Sendable (CaptureReport) -> Void
    ) throws -> [CaptureSession] {
        let enabled = configuration.devices.filter(\.enabled)
        let sceneMeter = SceneMeter(executor: try ThreadExecutor(name: "scene"))
        let clipMaker =
            try enabled.contains(where: \.live) ? ClipMaker(executor: ThreadExecutor(name: "clip")) : nil
        let developer = RawDeveloper(executor: try ThreadExecutor(name: "develop"))
        return try enabled.map { device in
            let description = device.description(on: configuration.node)
            let policy = SessionPolicy(
                ringDepth: configuration.ring.depth,
                ringByteLimit: Int(configuration.ring.memory.bytes) / max(enabled.count, 1), quality: device.quality,
                standby: device.standby, failureLimit: configuration.recovery.failures,
                goodPeriod: configuration.recovery.goodPeriod, isLivePhotoEnabled: device.live,
                isClipSoundRequired: device.audio == .required,
                alignment: device.align ? AlignmentRequest() : nil,
                sceneChange: device.sceneChange)
            let input = CaptureDeviceInput(
                device: CaptureDevice(description: description, camera: try stampFiles.camera(device)),
                format: device.formatRequest, maxPhotoDimensions: device.maxPhotoDimensions, raw: device.raw)
            let services = SessionServices(
                clock: clock, rigClock: estimate, spool: spool,
                executor: try ThreadExecutor(name: "cam-\(device.name)".prefix(15).description), sceneMeter: sceneMeter,
                clipMaker: clipMaker, deferred: deferred,
                clipSound: device.microphone.flatMap { name in
                    microphones.first { $0.session.device.id.device == name }?.session
                }, developer: developer, movieOutput: movieOutput, cameraFiles: cameraFiles
            ) { event in
                if case .captureGrew(let report) = event { grow(report) }
                if case .conditionChanged(let device, let condition) = event {
                    deviceLog.note(device, .video, condition)
                }
                if case .settings(let device, let notice) = event { deviceLog.note(device, notice) }
                events.record(event, of: event.device)
            }
            return try CaptureSession(
                SessionConfiguration(input: input, preset: device.preset, policy: policy), services: services)
        }
    }
}

extension DeviceConfiguration {
    /// Returns whether clips and movies of this camera have the sound of that microphone. If so, the microphone runs
    /// all the time, because the sound before T is in the past when a shot is requested.
    fileprivate func hasClips(with microphone: DeviceName) -> Bool {
        enabled && self.microphone == microphone
    }
}
