import CaptureModel
import CaptureTestSupport
import Catalogue
import Foundation
import Testing

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
