import CaptureModel
import CaptureTestSupport
import Foundation
import StorageKit
import Testing

@testable import Catalogue

/// Indexes of other versions. `Indexes/grdb-migrations.sqlite` is one as programs left it that wrote the version of the tables into
/// `grdb_migrations`, of the first 12 shots of `SampleLibrary(seed: 3)`.
@Suite(.enabled(if: ExternalTool.isExpected("sqlite3"))) struct IndexVersionTests {
    private let library: SampleLibrary
    private let shots: [Shot]
    private var file: IndexFile { IndexFile(library: library.folder.path) }

    init() throws {
        library = try SampleLibrary(seed: 3)
        shots = try library.add(12)
    }

    private func placeOldIndex() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Indexes")
        try FileManager.default.createDirectory(atPath: file.folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: folder.appending(path: "grdb-migrations.sqlite"), to: URL(filePath: file.path))
    }

    private func reindex() async throws -> Reindexing.Result {
        try await library.rest()
        return try await library.reindexing().run(ManualTimeSource(), fromNothing: false)
    }

    @Test func `An index without user_version is used as it is, and gets one when it is written`() async throws {
        try placeOldIndex()
        do {
            let index = try file.openForReading()
            let ids = try index.read { rows in try rows.indexedDays().flatMap { try rows.stamps(of: $0).keys } }
            #expect(ids.sorted() == shots.map(\.id).sorted())
            #expect(try index.read { try $0.isClean() })
        }
        let listing = try await library.catalogue.shots(ShotPage(ShotQuery(), limit: 100))
        #expect(listing.changed != nil)
        #expect(listing.ids == (try await library.expected(ShotQuery())))
        #expect(try library.sqlite("PRAGMA user_version") == "0")

        let result = try await reindex()
        #expect(result.remade == nil)
        #expect(result.shots == shots.count)
        #expect(try library.sqlite("PRAGMA user_version") == "2")
        #expect(try library.sqlite("SELECT group_concat(identifier) FROM grdb_migrations") == "1,2")
        let again = try await reindex()
        #expect(again.remade == nil && again.changed == 0)
    }

    @Test(arguments: [true, false])
    func `An index that is marked as not closed keeps its shots`(_ isOld: Bool) async throws {
        if isOld { try placeOldIndex() } else { _ = try await reindex() }
        try file.markOpen()
        let index = try file.openForReading()
        #expect(try !index.read { try $0.isClean() })
        #expect(try index.read { try $0.shotCount() } == shots.count)
    }

    @Test(arguments: [
        "INSERT INTO grdb_migrations VALUES ('3')", "INSERT INTO grdb_migrations VALUES ('later')",
        "DELETE FROM grdb_migrations WHERE identifier = '2'", "DROP TABLE grdb_migrations", "PRAGMA user_version = 1",
        "PRAGMA user_version = 3", "PRAGMA user_version = -2", "PRAGMA application_id = 0",
    ])
    func `An index of another version is not read, and made again`(_ sql: String) async throws {
        try placeOldIndex()
        #expect(try ExternalTool.run("sqlite3", file.path, sql).status == 0)
        #expect {
            try file.openForReading()
        } throws: { error in
            if case IndexFault.otherSchema = error { true } else { false }
        }
        let result = try await reindex()
        #expect(result.remade == "belongs to another version of this program")
        #expect(result.shots == shots.count)
        #expect(try library.sqlite("PRAGMA user_version") == "2")
        #expect(try library.sqlite("PRAGMA application_id") == "\(0x4352_4958)")
        #expect(try library.sqlite("SELECT count(*) FROM sqlite_schema WHERE name = 'grdb_migrations'") == "0")
    }
}
