import CaptureModel
import CaptureTestSupport
import Catalogue
import Foundation
import Testing

/// The manifests are the truth: whatever has become of the index, an answer is what they say.
@Suite struct StaleIndexTests {
    private let library: SampleLibrary
    private let shots: [Shot]
    private let all = ShotPage(ShotQuery(), limit: 1000)

    init() async throws {
        library = try SampleLibrary()
        shots = try library.add(12)
        try await library.reindex()
    }

    private func listed() async throws -> CatalogueListing {
        let listing = try await library.catalogue.shots(all)
        #expect(listing.ids == (try await library.expected(ShotQuery())))
        return listing
    }

    @Test func `a shot that came, or went, while nobody kept the index is missed, or still listed`() async throws {
        try library.write(try library.shot())
        #expect(try await listed().changed == 1)
        try library.remove(shots[3])
        #expect(try await listed().changed == 2)
        try FileManager.default.removeItem(
            at: URL(filePath: library.path(of: shots[5])).deletingLastPathComponent())
        #expect(try await listed().changed ?? 0 >= 3)
    }

    @Test func `a line shows the state or title of before, though the files were edited by hand`() async throws {
        var shot = shots[2]
        shot.status = shot.status == .complete ? .partial : .complete
        shot.revision += 1
        try library.write(shot)
        try library.annotate(shots[4], ShotAnnotation(title: "A new title"))
        try await library.rest()
        let listing = try await listed()
        #expect(listing.shots.first { $0.id == shot.id }?.status == shot.status)
        #expect(listing.shots.first { $0.id == shots[4].id }?.title == "A new title")
        #expect(listing.changed == 2)
    }

    @Test func `a shot that no longer matches stays in the answer`() async throws {
        for shot in shots { try library.annotate(shot, ShotAnnotation(title: "Nebel")) }
        try await library.rest()
        #expect(try await library.catalogue.shots(ShotPage(ShotQuery(title: "gipfel"), limit: 100)).ids == [])
    }

    @Test(arguments: ["", "garbage", "SQLite format 3\0"]) func `an index that is none is believed`(
        _ content: String
    ) async throws {
        try Data(content.utf8).write(to: URL(filePath: library.indexPath))
        #expect(try await listed().changed == nil)
    }

    @Test func `an index that is cut off, a folder, or gone costs an answer`() async throws {
        let bytes = try Data(contentsOf: URL(filePath: library.indexPath))
        for count in [100, 4096, 9000, bytes.count / 2, bytes.count - 4096] {
            try bytes.prefix(count).write(to: URL(filePath: library.indexPath))
            #expect(try await listed().shots.count == shots.count)
        }
        try FileManager.default.removeItem(atPath: library.indexPath)
        #expect(try await listed().changed == nil)
        try FileManager.default.createDirectory(atPath: library.indexPath, withIntermediateDirectories: true)
        #expect(try await listed().changed == nil)
    }

    @Test(arguments: TestExtent.some(8, of: UInt64(1)...40)) func `bytes turned over in an index end a program`(
        _ seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = try Data(contentsOf: URL(filePath: library.indexPath))
        for _ in 0..<Int.random(in: 1...200, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        }
        try bytes.write(to: URL(filePath: library.indexPath))
        for _ in 0..<5 { _ = try await library.catalogue.shots(ShotPage(library.query(), limit: 100)) }
    }

    @Test(arguments: [
        "UPDATE meta SET value = 'maybe'", "DELETE FROM day", "DROP TABLE file",
        "UPDATE camera SET labels = x'ff' WHERE id = 1", "PRAGMA user_version = 0", "PRAGMA user_version = 3",
        "PRAGMA application_id = 7",
    ])
    func `an index of another kind or version costs an answer`(_ sql: String) async throws {
        #expect(try ExternalTool.run("sqlite3", library.indexPath, sql).status == 0)
        let query = ShotQuery(devices: [DevicePattern("cam1")].compactMap(\.self))
        let listing = try await library.catalogue.shots(ShotPage(query, limit: 1000))
        #expect(listing.ids == (try await library.expected(query)))
        _ = try await listed()
    }

    @Test(arguments: [
        "UPDATE entry SET day = 7, status = 9, expected = 'many', realtimeNanoseconds = x'00'",
        "UPDATE entry SET day = '../..'", "UPDATE entry SET day = '..../../..'",
        "UPDATE entry SET uuid = x'00' WHERE id = 1",
        "UPDATE day SET path = '/etc' WHERE path = (SELECT min(path) FROM day)",
        "UPDATE entry SET manifestStamp = x'ff', done = 9223372036854775807, expected = -1",
    ])
    func `values that nobody wrote end a program, or lead out of the library`(_ sql: String) async throws {
        #expect(try ExternalTool.run("sqlite3", library.indexPath, sql).status == 0)
        for _ in 0..<20 { _ = try await library.catalogue.shots(ShotPage(library.query(), limit: 100)) }
    }

    @Test func `reindexing leaves damage in place`() async throws {
        try Data("garbage".utf8).write(to: URL(filePath: library.indexPath))
        let result = try await library.reindexing().run(
            ManualTimeSource(), fromNothing: false)
        #expect(result.remade?.isEmpty == false)
        #expect(result.shots == shots.count)
        #expect(result.changed == shots.count)
        #expect(try await listed().changed == 0)
        let again = try await library.reindexing().run(
            ManualTimeSource(), fromNothing: false)
        #expect(again.changed == 0 && again.remade == nil)
        let rebuilt = try await library.reindexing().run(
            ManualTimeSource(), fromNothing: true)
        #expect(rebuilt.changed == shots.count && rebuilt.remade == nil, "there was none to be replaced")
    }
}
