import CaptureModel
import CaptureTestSupport
import Catalogue
import FolderStore
import Foundation
import Glibc
import PosixSupport
import StorageKit
import Testing

/// What an index could believe for ever, though the files say otherwise.
@Suite struct UnnoticedTests {
    private let library: SampleLibrary
    private let shots: [Shot]
    private let all = ShotPage(ShotQuery(), limit: 1000)

    init() async throws {
        library = try SampleLibrary()
        shots = try library.add(12)
        try await library.reindex()
    }

    private func reindex(checking: Bool = false) async throws -> Reindexing.Result {
        try await library.rest()
        return try await library.reindexing().run(
            ManualTimeSource(), fromNothing: false, checking: checking)
    }

    @Test func `a title written beside the coordinator is not found`() async throws {
        _ = try await library.reader.edit(shots[3].id, ShotAnnotationEdit(title: "Nebelhorn"))
        #expect(try await library.catalogue.shots(ShotPage(ShotQuery(title: "nebel"), limit: 9)).ids == [shots[3].id])
    }

    @Test(arguments: ["annotation.json", "shot.json"]) func `what a disk refused to read once is never read again`(
        _ name: String
    ) async throws {
        for shot in shots { try library.annotate(shot, ShotAnnotation(title: "Nebelhorn")) }
        let isFailing = Observed(true)
        let failing = try FolderReader(folder: library.folder.path) { step, path in
            step == .read && path.hasSuffix("/" + name) && isFailing.value ? EIO : nil
        }
        try await library.rest()
        _ = try await library.reindexing(failing).run(ManualTimeSource(), fromNothing: true)
        isFailing.change { $0 = false }
        let found = try await library.catalogue.shots(ShotPage(ShotQuery(title: "nebel"), limit: 100))
        #expect(found.ids.count == shots.count && found.damaged.isEmpty)
        #expect(try await reindex().changed == shots.count)
        #expect(try await library.catalogue.shots(all).changed == 0)
    }

    @Test func `a manifest that was mended is called damaged`() async throws {
        let path = URL(filePath: library.path(of: shots[2]) + "/shot.json")
        let content = try Data(contentsOf: path)
        try library.damage(shots[2])
        _ = try await reindex()
        #expect(try await library.catalogue.shots(all).damaged.map(\.id) == [shots[2].id])
        try content.write(to: path)
        let listing = try await library.catalogue.shots(all)
        #expect(listing.damaged.isEmpty)
        #expect(listing.ids == (try await library.expected(ShotQuery())))
    }

    @Test(arguments: [true, false]) func `damaged manifests beyond the page are not told`(_ hasIndex: Bool) async throws
    {
        for shot in shots.prefix(7) { try library.damage(shot) }
        if hasIndex { _ = try await reindex() } else { try FileManager.default.removeItem(atPath: library.indexPath) }
        let listing = try await library.catalogue.shots(ShotPage(ShotQuery(), limit: 6))
        #expect(listing.shots.count == 5)
        #expect(listing.damaged.count == 6 && listing.moreDamaged == 1)
    }

    @Test func `an index is believed while a coordinator takes up its shots, and after a crash in that time`()
        async throws
    {
        let catalogue = try SQLiteCatalogue(
            library.reader, folder: library.folder.path, clock: ManualTimeSource()
        ) { _ in }
        await catalogue.begin()
        var late = shots[1]
        late.status = late.status == .complete ? .partial : .complete
        late.revision += 1
        try library.write(late)
        let query = ShotPage(ShotQuery(statuses: [late.status]), limit: 100)
        #expect(try await library.catalogue.shots(query).ids == (try await library.expected(query.query)))
    }

    @Test func `an index is made while a coordinator writes the library`() async throws {
        let coordinator = try FolderStore(folder: library.folder.path)
        let problem = await #expect(throws: StorageError.self) { _ = try await reindex() }
        #expect(problem?.code == .conflict)
        withExtendedLifetime(coordinator) {}
    }

    @Test(
        .enabled(if: ExternalTool.isExpected("sqlite3")),
        arguments: [
            "UPDATE entry SET titleSearch = 'nebelhorn', textSearch = 'nebelhorn' WHERE id = 4",
            "UPDATE entry SET status = NULL WHERE id = 4", "DELETE FROM file WHERE entry = 4",
        ])
    func `an index that is sound and says something else stays so`(_ sql: String) async throws {
        #expect(try ExternalTool.run("sqlite3", library.indexPath, sql).status == 0)
        let unchecked = try await reindex()
        #expect(unchecked.changed == 0 && unchecked.wrong == 0)
        let checked = try await reindex(checking: true)
        #expect(checked.changed == 0 && checked.wrong == 1)
        #expect(try await reindex(checking: true).wrong == 0)
        let nebel = ShotQuery(title: "nebelhorn")
        #expect(
            try await library.catalogue.shots(ShotPage(nebel, limit: 100)).ids == (try await library.expected(nebel)))
        #expect(try await library.catalogue.shots(all).ids == (try await library.expected(ShotQuery())))
    }
}
