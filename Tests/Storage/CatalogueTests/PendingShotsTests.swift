import CaptureModel
import CaptureTestSupport
import Testing

@testable import Catalogue

@Suite struct PendingShotsTests {
    private var generator = SeededGenerator(seed: 5)

    private mutating func id() -> ShotID { ShotID(unixMilliseconds: 1_793_491_200_000, using: &generator) }

    private func known(_ pending: PendingShots) -> [ShotID]? {
        if case .current(let shots) = pending.state { shots.keys.sorted() } else { nil }
    }

    @Test mutating func `an index that was never compared is relied on`() {
        var pending = PendingShots()
        pending.note(id(), day: "2026/11/21")
        #expect(known(pending) == nil)
        pending.begin()
        #expect(known(pending) == nil)
        pending.finish()
        #expect(known(pending) == [])
    }

    @Test mutating func `a shot noted while the library is compared, or written, is taken for indexed`() {
        var pending = PendingShots()
        let (first, second) = (id(), id())
        pending.begin()
        pending.note(first, day: "2026/11/21")
        pending.finish()
        #expect(known(pending) == [first])
        #expect(pending.removeAll() == [first: "2026/11/21"])
        pending.note(second, day: "2026/11/21")
        #expect(known(pending) == [first, second].sorted())
        pending.commit()
        #expect(known(pending) == [second])
        #expect(!pending.isEmpty)
    }

    @Test mutating func `what was taken and not written is lost`() {
        var pending = PendingShots()
        let first = id()
        pending.begin()
        pending.finish()
        pending.note(first, day: "2026/11/21")
        _ = pending.removeAll()
        pending.fail()
        #expect(known(pending) == nil)
        pending.begin()
        pending.finish()
        #expect(known(pending) == [])
        #expect(pending.counters.failures == 1)
    }

    @Test mutating func `a flood of shots takes memory without end, or is forgotten`() {
        var pending = PendingShots()
        pending.begin()
        pending.finish()
        for _ in 0..<PendingShots.limit { pending.note(id(), day: "2026/11/21") }
        #expect(known(pending)?.count == PendingShots.limit)
        pending.note(id(), day: "2026/11/21")
        #expect(known(pending) == nil)
        #expect(pending.counters.overflows == 1)
        #expect(pending.removeAll().count == PendingShots.limit)
        pending.commit()
        #expect(known(pending) == nil)
        pending.begin()
        for _ in 0...PendingShots.limit { pending.note(id(), day: "2026/11/21") }
        pending.finish()
        #expect(known(pending) == nil)
        pending.begin()
        pending.finish()
        #expect(known(pending) == [])
    }
}

/// The index as another program reads it: SQLite's own command line.
@Suite(.enabled(if: ExternalTool.isExpected("sqlite3"))) struct IndexContentTests {
    @Test func `another program cannot read the index, or reads something else in it`() async throws {
        let library = try SampleLibrary(seed: 7)
        let shots = try library.add(30)
        try await library.reindex()
        #expect(try library.sqlite("PRAGMA integrity_check") == "ok")
        #expect(try library.sqlite("PRAGMA foreign_key_check") == "")
        #expect(try library.sqlite("PRAGMA application_id") == "\(0x4352_4958)")
        #expect(try library.sqlite("SELECT count(*) FROM entry WHERE kind = 'shot'") == "30")
        let files = shots.flatMap(\.captures).flatMap(\.files)
        #expect(try library.sqlite("SELECT count(*) FROM file") == "\(files.count)")
        for outcome in CapturedFile.Outcome.allCases {
            #expect(
                try library.sqlite("SELECT count(*) FROM file WHERE outcome = '\(outcome.rawValue)'")
                    == "\(files.count { $0.outcome == outcome })")
        }
        let shot = shots[8]
        #expect(
            try library.sqlite(
                """
                SELECT group_concat(line, ',') FROM (
                    SELECT device || ' ' || file.kind || ' ' || outcome AS line
                    FROM entry JOIN file ON file.entry = entry.id JOIN camera ON camera.id = file.camera
                    WHERE uuid = '\(shot.id)' ORDER BY device, file.kind)
                """)
                == shot.captures.flatMap { capture in
                    capture.files.map { "\(capture.device.id) \($0.kind.rawValue) \($0.outcome.rawValue)" }
                }.joined(separator: ","))
    }

    @Test func `an index that was closed needs a folder that can be written to be read`() async throws {
        let library = try SampleLibrary()
        _ = try library.add(3)
        try await library.reindex()
        #expect(try library.folder.names(".index") == [".lock", "index.sqlite"])
    }
}
