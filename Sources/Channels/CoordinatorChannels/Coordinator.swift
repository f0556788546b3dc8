import AuditLog
public import CaptureModel
import Catalogue
import ChannelSecurity
public import FaultPoints
import FolderStore
import Journal
public import Logging
import PosixSupport
import Previews
import RigAccess
public import RigConfiguration
import RigCore
import RigSecurity
public import ServiceLifecycle
import StorageKit
import SystemClock
import ZeroMQ

/// The rig's coordinator: roster, rig time, shots, collecting, library and feed.
public struct Coordinator: Service {
    /// The version that the coordinator reports to clients.
    public static let software = "caprig-coordinator 0.1.0"

    /// The endpoints of the channels.
    public let endpoints: CoordinatorEndpoints
    private let log: Logger
    private let context: ZeroMQContext
    private let sockets: CoordinatorSockets
    private let rig: Rig
    private let control: ControlService
    private let collect: CollectService
    private let collector: Collector
    private let client: ClientService
    private let feed: FeedService
    private let catalogue: SQLiteCatalogue
    private let refusedConnections: RefusedConnections
    private let libraryWatch: LibraryWatch
    private let retention: RetentionKeeper
    private let previews: PreviewMaker?
    /// How this machine's clock is kept in step; nil if the configuration leaves it off.
    private let discipline: (any ClockDiscipline)?
    /// What it has last told.
    private let disciplined = Locked<DisciplinedClock<RigTimeBase>?>(nil)
    private let clock: any TimeSource
    /// nil without keys.
    private let security: Security?
    /// Yields once, when requests are answered.
    private let running = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Opens the library, reads the roster and binds every channel. Blocks on the disk.
    /// - Parameters:
    ///   - keys: With keys, every connection proves a key, and only admitted keys connect. nil for a rig in which
    ///     anybody may do everything.
    ///   - discipline: How this machine's clock is kept in step, which nodes are told; nil if the configuration leaves it
    ///     off.
    /// - Throws: If the library or the journal is in use or cannot be written, the roster cannot be read, an address
    ///   is in use, or with keys a channel admits a stranger.
    public init(
        configuration: CoordinatorConfiguration, keys: CoordinatorKeys? = nil,
        discipline: (any ClockDiscipline)? = nil, clock: any TimeSource, log: Logger
    ) async throws {
        try await self.init(
            configuration: configuration, keys: keys, discipline: discipline, clock: clock, log: log,
            settings: RigLimits())
    }

    /// - Parameter defaults: Those of the settings of the rig that the configuration does not state.
    init(
        configuration: CoordinatorConfiguration, keys: CoordinatorKeys? = nil,
        discipline: (any ClockDiscipline)? = nil, clock: any TimeSource, log: Logger, settings defaults: RigLimits
    ) async throws {
        self.log = log
        self.discipline = discipline
        self.clock = clock
        let epoch = Epoch.random()
        let clockID = try RigClockID.ofThisProcess()
        let folder = configuration.library.folder
        let store = try FolderStore(folder: folder, fault: LibraryFileFault.injection)
        let library = store.library
        let catalogue = try SQLiteCatalogue(try FolderReader(folder: folder), folder: folder, clock: clock) { news in
            log.log(news)
        }
        previews =
            configuration.library.previews
            ? try PreviewMaker(try FolderReader(folder: folder), folder: folder, clock: clock) { log.log($0) } : nil
        try Folder.make(configuration.stateFolder).checkPublishing(
            of: "the coordinator's state",
            remedy: "set state.folder (--state) to a folder on another disk, such as one of ext4, xfs or btrfs")
        let rosterThread = try ThreadExecutor(name: "roster")
        let rosterStore = try DocumentFile(
            .roster, in: configuration.stateFolder, executor: rosterThread, fault: RosterFileFault.injection)
        let holdStore = try DocumentFile(.hold, in: configuration.stateFolder, executor: rosterThread)
        let settingsLedger = try DocumentFile(
            .settings, in: configuration.stateFolder, executor: rosterThread, fault: LedgerFileFault.injection)
        let profileStore = try FolderProfiles(folder: configuration.stateFolder, executor: rosterThread)
        var settings = defaults
        settings.timeout = configuration.trigger.timeout
        settings.maximumAhead = configuration.trigger.maximumAhead
        settings.timing = configuration.trigger.timing
        let journal = try EventJournal(
            folder: configuration.stateFolder + "/feed", epoch: epoch, executor: try ThreadExecutor(name: "feed"),
            fault: FeedFileFault.injection)
        await journal.begin()
        let eventFeed = EventFeed(journal: journal, epoch: epoch, clock: clock, log: log)
        let rig = Rig(
            epoch: epoch, clockID: clockID, clock: clock, settings: settings, library: library,
            catalogue: catalogue, previews: previews,
            events: EventLog(epoch: epoch, journaled: await eventFeed.earlierEvents()),
            roster: Roster(restoring: try await rosterStore.read() ?? []), rosterStore: rosterStore,
            hold: await Self.storedHold(holdStore, log), holdStore: holdStore,
            committedSettings: await Self.committedSettings(settingsLedger, log), settingsLedger: settingsLedger,
            profileStore: profileStore,
            copies: try configuration.library.copy.map {
                try FolderCopies(of: try FolderReader(folder: folder), in: $0)
            }, log: log)
        retention = RetentionKeeper(
            configuration.library.keep, rig: rig, shots: store.browser, freeBytes: { await library.freeBytes() },
            audit: keys?.requestAudit, clock: clock, log: log)
        context = try ZeroMQContext(ioThreads: CoordinatorSockets.ioThreadCount)
        let gate = try keys?.gate(of: context)
        let authority = keys?.authority ?? .anybody
        let decisions = keys?.access.snapshot
        sockets = try CoordinatorSockets(context: context, keys: keys)
        refusedConnections = RefusedConnections(of: sockets, isTested: keys != nil)
        let endpoints = try await sockets.bind(configuration.listen)
        self.endpoints = endpoints
        let listening = sockets.listening(endpoints)
        if let keys {
            try await GateTest.refusesStrangers(
                at: Dictionary(
                    uniqueKeysWithValues: listening.filter { $0.domain != .join }.map { ($0.domain, $0.endpoint) }),
                key: keys.pair.publicKey, gate: gate, context: context, clock: clock)
            try keys.publish(keys.pair.publicKey, client: endpoints.client)
        }
        await ClockEcho.serve(sockets.clock, clockID: clockID, discipline: disciplined, clock: clock)
        control = ControlService(
            socket: sockets.control, rig: rig, authority: authority, key: keys?.own, clockPort: endpoints.clockPort,
            collectPort: endpoints.collectPort, log: log)
        collector = Collector(rig: rig, assets: store.assets, rate: configuration.collect.rate, clock: clock, log: log)
        collect = CollectService(
            socket: sockets.collect, rig: rig, collector: collector, authority: authority, log: log)
        feed = FeedService(socket: sockets.feed, feed: eventFeed, epoch: epoch, clock: clock, log: log)
        let libraryWatch = LibraryWatch(clock: clock) { news in
            switch news {
            case .unusable(let problem):
                log.error("the library cannot be used", metadata: ["reason": "\(problem)"])
            case .usable: log.info("the library can be used again", metadata: ["library": "\(library.path)"])
            case .mishap(let text): log.error("the library lost a folder", metadata: ["reason": "\(text)"])
            }
        } ask: {
            await library.condition()
        }
        let channels = ChannelLinks(
            control: control, collect: collect, collector: collector, feed: eventFeed, feedService: feed)
        let files = StoredFiles(store.server)
        let service = CoordinatorService(
            rig: rig, library: library, files: files,
            pictures: StoredPictures(files: files, reader: try PreviewReader(folder: folder), maker: previews),
            libraryWatch: libraryWatch,
            catalogue: catalogue, feed: eventFeed, retention: retention,
            keys: keys?.management(joiningAt: endpoints, of: configuration.listen.host, clock: clock),
            audit: keys?.requestAudit, log: log)
        client = ClientService(
            socket: sockets.client, service: service, authority: authority, epoch: epoch, clock: clock,
            facts: ChannelStatus(
                feedPort: endpoints.feedPort, rig: try configuration.rig ?? RigName("rig"), key: keys?.own,
                channels: channels,
                refusedConnections: refusedConnections),
            log: log)
        self.catalogue = catalogue
        self.libraryWatch = libraryWatch
        self.rig = rig
        security =
            if let keys, let gate, let decisions, let socket = sockets.join {
                Security(
                    keys: keys, gate: gate,
                    join: JoinService(
                        socket: socket, access: keys.access,
                        facts: JoinFacts(
                            rig: keys.rig, controlPort: CoordinatorSockets.port(of: endpoints.control),
                            clientPort: CoordinatorSockets.port(of: endpoints.client)), log: log),
                    listeners: ChannelListeners(listening, pair: keys.pair, clock: clock, log: log),
                    decisions: decisions, client: endpoints.client, control: control, clock: clock)
            } else { nil }
        await rig.attach(channels)
    }

    /// Keeps what nodes are told of this machine's clock, until the task is cancelled.
    private func follow(_ discipline: any ClockDiscipline) async {
        while true {
            let reading = await discipline.reading()
            disciplined.withLock { $0 = reading?.based(on: RigTimeBase.self) }
            do { try await discipline.pause(after: reading, on: clock) } catch { return }
        }
    }

    /// Takes over what may change while the coordinator runs: ``CoordinatorConfiguration/liveKeys``.
    public func reload(_ configuration: CoordinatorConfiguration) async {
        let trigger = configuration.trigger
        rig.limitTriggers(timeout: trigger.timeout, maximumAhead: trigger.maximumAhead, timing: trigger.timing)
        await collector.pace(configuration.collect.rate)
        retention.change(configuration.library.keep)
    }

    /// A rig without the hold that it had is usable, so the coordinator also starts if it cannot be read.
    private static func storedHold(_ store: DocumentFile<StoredHold?>, _ log: Logger) async -> StoredHold? {
        do {
            return try await store.read() ?? nil
        } catch {
            log.error("the hold of the rig cannot be read", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    private static func committedSettings(
        _ ledger: DocumentFile<[CommittedSettings]>, _ log: Logger
    ) async -> [CommittedSettings] {
        do {
            return try await ledger.read() ?? []
        } catch {
            log.error("the settings transactions of the rig cannot be read", metadata: ["reason": "\(error)"])
            return []
        }
    }

    /// Waits until requests are answered, from when on the coordinator's state has all keys. One task may wait.
    /// - Throws: `CancellationError` if it never runs.
    public func waitUntilRunning() async throws {
        for await _ in running.stream { return }
        throw CancellationError()
    }

    /// Serves until the task is cancelled or a graceful shutdown is requested.
    public func run() async throws {
        defer { running.continuation.finish() }
        await catalogue.begin()
        await libraryWatch.look()
        await rig.finishDeletions()
        try await rig.resumeOpenShots()
        await rig.resumeOpenSettings()
        log.info(
            "the coordinator runs", metadata: ["control": "\(endpoints.control)", "client": "\(endpoints.client)"])
        running.continuation.yield()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await rig.run() }
                group.addTask { await control.run() }
                group.addTask { await collect.run() }
                group.addTask { await collector.run() }
                group.addTask { await client.run() }
                group.addTask { await feed.run() }
                group.addTask { await catalogue.run() }
                group.addTask { await libraryWatch.run() }
                group.addTask { await retention.run() }
                group.addTask { await refusedConnections.follow() }
                if let discipline { group.addTask { await follow(discipline) } }
                if let security { group.addTask { await security.run() } }
                if let previews { group.addTask { await previews.run() } }
            }
        }
        await catalogue.close()
        await sockets.close()
        await security?.keys.close()
        log.info("the coordinator has ended")
    }
}

/// What a coordinator with keys runs beside its channels.
private struct Security: Sendable {
    let keys: CoordinatorKeys
    let gate: ConnectionGate
    let join: JoinService
    let listeners: ChannelListeners
    /// The decisions with which the sockets were bound.
    let decisions: AccessSnapshot
    /// Where clients connect to.
    let client: String
    let control: ControlService
    let clock: any TimeSource

    /// How often nodes are sent the keys that may watch. They enforce a list for ``ViewerList/lifetime``.
    private static let viewersInterval = Duration.seconds(60)

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await keys.run() }
            group.addTask { await join.run() }
            group.addTask {
                await listeners.follow(keys.access.changes, since: decisions) { snapshot in
                    await control.sendViewers(snapshot)
                    keys.own.review()
                }
            }
            group.addTask {
                await keys.own.run(
                    OwnKey.Channels(listeners: listeners, tellNodes: control.sendKey) { key in
                        try keys.publish(key, client: client)
                    })
            }
            group.addTask {
                while (try? await clock.sleep(for: Self.viewersInterval)) != nil {
                    await control.sendViewers(keys.access.snapshot)
                }
            }
        }
    }
}

extension Coordinator {
    /// All fault points of a coordinator.
    public static let faultPoints = FaultCatalogue([
        AssetFault.self, AuditFault.self, AuditFileFault.self, ClientSendFault.self, ClientWaitFault.self,
        CoordinatorClockSendFault.self, CoordinatorCollectSendFault.self, CoordinatorCollectWaitFault.self,
        CollectWorkFault.self, CoordinatorControlSendFault.self,
        CoordinatorControlWaitFault.self, FeedFileFault.self, FeedSendFault.self, FeedWaitFault.self, GateFault.self,
        JoinSendFault.self, JoinWaitFault.self, KeyRegistryFault.self, KeyRegistryFileFault.self, LibraryFault.self,
        LibraryFileFault.self, RigFault.self, RosterFault.self, RosterFileFault.self, LedgerFileFault.self,
        TakeFault.self,
    ])
}

extension Logger {
    /// Logs a notice of the catalogue in one line.
    func log(_ news: CatalogueNotice) {
        switch news {
        case .made: info("the index of the library is made")
        case .remade(let reason): warning("the index of the library is made again", metadata: ["index": "\(reason)"])
        case .compared(let shots, let changed):
            info("the index of the library is current", metadata: ["shots": "\(shots)", "changed": "\(changed)"])
        case .failed(let reason):
            error(
                "the index of the library cannot be written; lists are read from the manifests",
                metadata: ["index": "\(reason)"])
        }
    }
}

extension Logger {
    /// Logs a notice of the preview maker in one line.
    func log(_ news: PreviewNotice) {
        switch news {
        case .made(let key): trace("small pictures are made", metadata: ["file": "\(key)"])
        case .unreadable(let key, let reason):
            warning("no small pictures can be made of a file", metadata: ["file": "\(key)", "reason": "\(reason)"])
        case .unread(let key, let problem):
            warning(
                "a file cannot be read for its small pictures", metadata: ["file": "\(key)", "reason": "\(problem)"])
        case .failed(let reason):
            warning("small pictures cannot be written; trying again later", metadata: ["reason": "\(reason)"])
        }
    }
}
