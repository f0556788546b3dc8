public import CaptureModel
import CaptureSystem
import Catalogue
import FaultPoints
import FolderStore
import Journal
public import Logging
import PosixSupport
import Previews
public import RigConfiguration
import RigCore
public import ServiceLifecycle
import StorageKit
import ZeroMQ

/// The rig's coordinator: roster, rig time, shots, collecting, library and feed.
public struct Coordinator: Service {
    /// The version clients are told.
    public static let software = "caprig-coordinator 0.1.0"

    /// Where the channels are, for agents, clients and people.
    public let endpoints: CoordinatorEndpoints
    private let log: Logger
    private let context: ZeroMQContext
    private let sockets: CoordinatorSockets
    private let rig: Rig
    private let control: ControlService
    private let collect: CollectService
    private let client: ClientService
    private let feed: FeedService
    private let catalogue: SQLiteCatalogue
    private let refusedConnections: RefusedConnections
    private let libraryWatch: LibraryWatch
    private let previews: PreviewMaker?

    /// Opens the library, reads the roster and binds every channel. Blocks on the disk.
    /// - Throws: Where the library or the journal is in use or cannot be written, the roster cannot be read, or an address
    ///   is in use.
    public init(configuration: CoordinatorConfiguration, clock: any TimeSource, log: Logger) async throws {
        self.log = log
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
        let file = RosterFile(folder: try Folder.make(configuration.stateFolder, fault: RosterFileFault.injection))
        var settings = RigSettings()
        settings.timeout = configuration.trigger.timeout
        settings.maximumAhead = configuration.trigger.maximumAhead
        let journal = try EventJournal(
            folder: configuration.stateFolder + "/feed", epoch: epoch, executor: try ThreadExecutor(name: "feed"),
            fault: FeedFileFault.injection)
        await journal.begin()
        let eventFeed = EventFeed(journal: journal, epoch: epoch, clock: clock, log: log)
        let rig = Rig(
            epoch: epoch, clockID: clockID, clock: clock, settings: settings, library: library,
            catalogue: catalogue, previews: previews,
            events: EventLog(epoch: epoch, journaled: await eventFeed.earlierEvents()),
            roster: Roster(restoring: try file.read()),
            rosterStore: RosterStore(file: file, executor: try ThreadExecutor(name: "roster")), log: log)
        context = try ZeroMQContext()
        sockets = try CoordinatorSockets(context: context)
        refusedConnections = RefusedConnections(of: sockets)
        let endpoints = try await sockets.bind(configuration.listen)
        self.endpoints = endpoints
        await ClockEcho.serve(sockets.clock, clockID: clockID)
        control = ControlService(
            socket: sockets.control, rig: rig, clockPort: endpoints.clockPort, collectPort: endpoints.collectPort,
            log: log)
        collect = CollectService(
            socket: sockets.collect, rig: rig, assets: store.assets, rate: configuration.collect.rate, clock: clock,
            log: log)
        feed = FeedService(socket: sockets.feed, feed: eventFeed, epoch: epoch, clock: clock, log: log)
        let libraryWatch = LibraryWatch(clock: clock) { problem in
            if let problem {
                log.error("the library cannot be used", metadata: ["reason": "\(problem)"])
            } else {
                log.info("the library can be used again", metadata: ["library": "\(library.path)"])
            }
        } ask: {
            await library.condition()
        }
        let channels = ChannelLinks(control: control, collect: collect, feed: eventFeed, feedService: feed)
        let service = CoordinatorService(
            rig: rig, library: library, libraryWatch: libraryWatch, catalogue: catalogue, feed: eventFeed, log: log)
        client = ClientService(
            socket: sockets.client, service: service, epoch: epoch, clock: clock,
            facts: ChannelFacts(
                feedPort: endpoints.feedPort, channels: channels, refusedConnections: refusedConnections),
            log: log)
        self.catalogue = catalogue
        self.libraryWatch = libraryWatch
        self.rig = rig
        await rig.attach(channels)
    }

    /// Serves until the task is cancelled or a graceful shutdown is asked for.
    public func run() async throws {
        await catalogue.begin()
        await libraryWatch.look()
        try await rig.resumeOpenShots()
        log.info(
            "the coordinator runs", metadata: ["control": "\(endpoints.control)", "client": "\(endpoints.client)"])
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await rig.run() }
                group.addTask { await control.run() }
                group.addTask { await collect.run() }
                group.addTask { await client.run() }
                group.addTask { await feed.run() }
                group.addTask { await catalogue.run() }
                group.addTask { await libraryWatch.run() }
                group.addTask { await refusedConnections.follow() }
                if let previews { group.addTask { await previews.run() } }
            }
        }
        await catalogue.close()
        await sockets.close()
        log.info("the coordinator has ended")
    }
}
