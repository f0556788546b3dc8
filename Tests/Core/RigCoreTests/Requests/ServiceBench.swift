import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Catalogue
import Journal
import Logging
import PosixSupport
import RigTestSupport
import StorageKit

@testable import RigCore

/// The rig behind the service that front ends see, without sockets.
struct ServiceBench: Sendable {
    let bench: RigBench
    let service: CoordinatorService

    init(
        folder: TemporaryFolder, clock: any TimeSource = SystemTimeSource(), catalogue: any Catalogue = NoCatalogue(),
        change: (inout RigSettings) -> Void = { _ in }
    ) async throws {
        try self.init(try await RigBench(folder: folder, clock: clock, change: change), catalogue: catalogue)
    }

    init(_ bench: RigBench, catalogue: any Catalogue = NoCatalogue()) throws {
        let (folder, clock) = (bench.folder, bench.clock)
        self.bench = bench
        var log = Logger(label: "test")
        log.logLevel = .critical
        let journal = try EventJournal(
            folder: folder.path + "/feed", epoch: bench.rig.epoch, executor: try ThreadExecutor(name: "feed"))
        let watch = LibraryWatch(clock: clock, tell: { _ in }) { [library = bench.library] in
            await library.condition()
        }
        service = CoordinatorService(
            rig: bench.rig, library: bench.library, libraryWatch: watch, catalogue: catalogue,
            feed: EventFeed(journal: journal, epoch: bench.rig.epoch, clock: clock, log: log), log: log)
    }

    /// Every answer to a command.
    func answers(to command: RigCommand, by principal: Principal = .unnamed, _ number: UInt8 = 1) -> Task<
        [RigAnswer], Never
    > {
        let answers = service.perform(.command(command, by: Requester(principal, Samples.requester(number))))
        return Task {
            var all: [RigAnswer] = []
            for await answer in answers { all.append(answer) }
            return all
        }
    }

    /// The answer to a query.
    func answer(to query: RigQuery) async -> RigAnswer? {
        var last: RigAnswer?
        for await answer in service.perform(.query(query, by: Requester(.unnamed, Samples.requester()))) {
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
    var refusal: CaptureProblem? { if case .refused(let problem) = self { problem } else { nil } }
    var isProgress: Bool { if case .progress = self { true } else { false } }
}

/// A catalogue that finds nothing.
struct NoCatalogue: Catalogue {
    func note(_ shot: Shot) {}

    func shots(_ page: ShotPage) async throws(CaptureProblem) -> CatalogueListing {
        CatalogueListing(source: .manifests(reason: "none"))
    }
}
