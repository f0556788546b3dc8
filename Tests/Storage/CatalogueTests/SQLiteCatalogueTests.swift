import CaptureModel
import CaptureTestSupport
import Catalogue
import Foundation
import StorageKit
import SystemClock
import Testing

@Suite struct SQLiteCatalogueTests {
    private let library: SampleLibrary
    private let news = Observed<[CatalogueNotice]>([])
    private let all = ShotPage(ShotQuery(), limit: 1000)

    init() throws {
        library = try SampleLibrary()
    }

    private func catalogue(_ clock: any TimeSource = SystemTimeSource()) throws -> SQLiteCatalogue {
        try SQLiteCatalogue(library.reader, folder: library.folder.path, clock: clock) { [news] item in
            news.change { $0.append(item) }
        }
    }

    /// Runs a catalogue beside `body`, and closes it thereafter unless it is to end as by a crash.
    private func run(
        _ catalogue: SQLiteCatalogue, crashing: Bool = false, _ body: () async throws -> Void
    ) async throws {
        let task = Task { await catalogue.run() }
        do { try await body() } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        await task.value
        if !crashing { await catalogue.close() }
    }

    /// A coordinator that brings the index up to date and ends without closing it; with it goes its lock, as with a process.
    private func crash() async throws {
        try await run(try catalogue(), crashing: true) { await compared() }
    }

    private func compared(_ count: Int = 1) async {
        await news.wait { $0.count { if case .compared = $0 { true } else { false } } >= count }
    }

    @Test func `shots noted while a coordinator runs are not in the index it leaves`() async throws {
        _ = try library.add(10)
        let catalogue = try catalogue()
        try await run(catalogue) {
            await compared()
            for shot in try library.add(5) { catalogue.note(shot) }
            #expect(try await catalogue.shots(all).ids == (try await library.expected(ShotQuery())))
        }
        #expect(news.value == [.made, .compared(shots: 10, changed: 10)], "nobody has lost an index")
        #expect(try library.sqlite("SELECT count(*) FROM entry") == "15")
        let listing = try await library.catalogue.shots(all)
        #expect(listing.ids == (try await library.expected(ShotQuery())))
        #expect(listing.changed == 0)
        #expect(catalogue.counters.indexed == 5)
    }

    @Test func `answers look at every day since the coordinator has begun`() async throws {
        let clock = ManualTimeSource()
        let catalogue = try catalogue(clock)
        try await run(catalogue) {
            await compared()
            let shots = try library.add(40)
            try await library.rest()
            for shot in shots { catalogue.note(shot) }
            await clock.step()
        }
        let days = try library.sqlite("SELECT count(*) FROM day")
        #expect(Int(days) ?? 0 > 2)
        let newest = try await library.newestDay()
        #expect(try library.sqlite("SELECT group_concat(path) FROM day WHERE version = ''") == newest)
    }

    @Test func `what a crash kept from the index stays missing`() async throws {
        let shots = try library.add(8)
        try await crash()
        // As of a shot of long ago whose late file raises its manifest, while nobody can note it.
        var late = shots[1]
        late.status = .partial
        late.revision += 5
        late.captures[0].files[0].byteCount = 77
        try library.write(late)
        try await library.rest()
        let query = ShotPage(ShotQuery(statuses: [.partial]), limit: 100)
        #expect(try await library.catalogue.shots(query).ids == (try await library.expected(query.query)))

        let next = try catalogue()
        try await run(next) { await compared(2) }
        #expect(news.value.last == .compared(shots: 8, changed: 1))
        let listing = try await library.catalogue.shots(query)
        #expect(listing.ids == (try await library.expected(query.query)))
        #expect(listing.changed == 0)
    }

    @Test func `an index deleted under a running coordinator is never made again`() async throws {
        _ = try library.add(4)
        let clock = ManualTimeSource()
        let catalogue = try catalogue(clock)
        try await run(catalogue) {
            await compared()
            try FileManager.default.removeItem(atPath: library.folder.path + "/.index")
            let shot = try library.add(1)[0]
            #expect(try await catalogue.shots(all).ids == (try await library.expected(ShotQuery())))
            catalogue.note(shot)
            // The delay before it is written, and the pause after the failure.
            await clock.step()
            await clock.step()
            await compared(2)
        }
        #expect(try library.sqlite("SELECT count(*) FROM entry") == "5")
    }

    @Test func `a disk that takes no index costs an answer, or is asked without pause`() async throws {
        _ = try library.add(4)
        try library.folder.write("in the way", to: ".index")
        let clock = ManualTimeSource()
        let catalogue = try catalogue(clock)
        try await run(catalogue) {
            await news.wait { $0.count == 1 }
            #expect(try await catalogue.shots(all).ids == (try await library.expected(ShotQuery())))
            let first = clock.now()
            await clock.step()
            await news.wait { $0.count == 2 }
            #expect(clock.now() - first == .seconds(1))
            try FileManager.default.removeItem(atPath: library.folder.path + "/.index")
            await clock.step()
            #expect(clock.now() - first == .seconds(3))
            await compared()
        }
        #expect(catalogue.counters.failures == 2)
        #expect(try await library.catalogue.shots(all).changed == 0)
    }

    @Test func `two programs write one index`() async throws {
        _ = try library.add(4)
        let catalogue = try catalogue()
        try await run(catalogue) {
            await compared()
            let problem = await #expect(throws: StorageError.self) {
                try await library.reindexing().run(
                    SystemTimeSource(), fromNothing: true)
            }
            #expect(problem?.code == .conflict)
        }
    }

    @Test func `an answer lacks shots that were noted when more came than are kept`() async throws {
        _ = try library.add(6)
        let catalogue = try catalogue()
        for _ in 0..<5000 { catalogue.note(try library.shot()) }
        try await run(catalogue) { await compared(1) }
        #expect(catalogue.counters.overflows > 0)
        #expect(try await library.catalogue.shots(all).ids == (try await library.expected(ShotQuery())))
    }
}
