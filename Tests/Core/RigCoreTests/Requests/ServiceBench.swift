import CaptureModel
import CaptureTestSupport
import Catalogue
import Journal
import Logging
import PosixSupport
import Previews
import RigSecurity
import RigTestSupport
import StorageKit
import SystemClock
import Testing

@testable import RigCore

/// The rig behind the service that front ends see, without sockets.
struct ServiceBench: Sendable {
    let bench: RigBench
    let service: CoordinatorService

    init(
        folder: TemporaryFolder, clock: any TimeSource = SystemTimeSource(), catalogue: any Catalogue = NoCatalogue(),
        audit: (any RequestAudit)? = nil, change: (inout RigLimits) -> Void = { _ in }
    ) async throws {
        try self.init(
            try await RigBench(folder: folder, clock: clock, change: change), catalogue: catalogue, audit: audit)
    }

    init(
        _ bench: RigBench, catalogue: any Catalogue = NoCatalogue(), audit: (any RequestAudit)? = nil,
        pictures: (reader: PreviewReader, maker: PreviewMaker?)? = nil
    ) throws {
        let (folder, clock) = (bench.folder, bench.clock)
        self.bench = bench
        var log = Logger(label: "test")
        log.logLevel = .critical
        let journal = try EventJournal(
            folder: folder.path + "/feed", epoch: bench.rig.epoch, executor: try ThreadExecutor(name: "feed"))
        let watch = LibraryWatch(clock: clock, tell: { _ in }) { [library = bench.library] in
            await library.condition()
        }
        let files = StoredFiles(bench.served)
        service = CoordinatorService(
            rig: bench.rig, library: bench.library, files: files,
            pictures: StoredPictures(files: files, reader: pictures?.reader, maker: pictures?.maker),
            libraryWatch: watch, catalogue: catalogue,
            feed: EventFeed(journal: journal, epoch: bench.rig.epoch, clock: clock, log: log), audit: audit, log: log)
    }

    /// Every answer to a command.
    func answers(
        to command: RigCommand, by principal: Principal = .unnamed,
        with permissions: Set<Permission> = Role.admin.permissions, _ number: UInt8 = 1
    ) -> Task<[RigAnswer], Never> {
        let answers = service.perform(
            .command(command, by: Requester(principal, permissions, Samples.requester(number))))
        return Task {
            var all: [RigAnswer] = []
            for await answer in answers { all.append(answer) }
            return all
        }
    }

    /// The answer to a query.
    func answer(
        to query: RigQuery, with permissions: Set<Permission> = Role.admin.permissions, for number: UInt8 = 1
    ) async -> RigAnswer? {
        var last: RigAnswer?
        for await answer in service.perform(
            .query(query, by: Requester(.unnamed, permissions, Samples.requester(number))))
        {
            last = answer
        }
        return last
    }

    /// Waits until the file is asked for, and stores these bytes as it.
    func store(_ key: FileKey, _ bytes: [UInt8]) async throws {
        await bench.links.asked.wait { $0.collected[key] != nil }
        _ = try await bench.assets.begin(
            key, AssetContent(byteCount: Int64(bytes.count), digest: Samples.digest(bytes)))
        try await bench.assets.append(bytes, to: key, at: 0)
        await bench.rig.stored(key, path: try await bench.assets.commit(key).description)
    }
}

extension RigAnswer {
    var shot: Shot? { if case .shot(let answer) = self { answer.shot } else { nil } }
    var refusal: RigProblem? { if case .refused(let problem) = self { problem } else { nil } }
    var isProgress: Bool { if case .progress = self { true } else { false } }
}

/// A catalogue that finds nothing.
struct NoCatalogue: Catalogue {
    func note(_ shot: Shot) {}

    func shots(_ page: ShotPage) async throws(StorageError) -> CatalogueListing {
        CatalogueListing(source: .manifests(reason: "none"))
    }
}

@Suite(.timeLimit(.minutes(10))) struct RequestLimitTests {
    /// Answers no search before it is told to.
    private final class SlowCatalogue: Catalogue {
        let isOpen = Observed(false)

        func note(_ shot: Shot) {}

        func shots(_ page: ShotPage) async throws(StorageError) -> CatalogueListing {
            await isOpen.wait { $0 }
            return CatalogueListing(source: .manifests(reason: "slow"))
        }
    }

    @Test("Serves triggers beside slow searches, and refuses excess requests")
    func slowSearches() async throws {
        let catalogue = SlowCatalogue()
        let rig = try await ServiceBench(folder: try TemporaryFolder(), catalogue: catalogue)
        let search = RigQuery.shots(ShotPage(ShotQuery(), limit: 50))
        let count = RequestAdmission.limit
        let searches = (0..<count).map { _ in
            rig.service.perform(.query(search, by: Requester(.unnamed, Role.admin.permissions, Samples.requester())))
        }
        #expect(await rig.answer(to: search)?.refusal?.code == .noMemory)
        guard case .status? = await rig.answer(to: .status) else {
            Issue.record("the status waits for the disk")
            return
        }
        let trigger = await rig.answers(to: .trigger(rig.bench.order())).value.last
        #expect(trigger?.refusal?.code == .emptySelection, "refused, since there is no camera; but answered")
        catalogue.isOpen.change { $0 = true }
        for answers in searches {
            var all: [RigAnswer] = []
            for await answer in answers { all.append(answer) }
            guard case .shots? = all.last, all.count == 1 else {
                Issue.record("\(all)")
                continue
            }
        }
        guard case .shots? = await rig.answer(to: search) else {
            Issue.record("there is room again")
            return
        }
        await rig.bench.end()
    }
}
