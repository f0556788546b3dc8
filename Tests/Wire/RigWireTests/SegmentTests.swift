import CaptureModel
import CaptureTestSupport
import RigWire
import Testing

/// Recordings in several files, as they are named and told.
@Suite struct SegmentTests {
    @Test func `a file of a recording is taken for another one`() throws {
        let segments = (1...SegmentNumber.limit).compactMap { SegmentNumber($0) }
        let kinds = AssetKind.allCases + segments.dropFirst().flatMap(AssetKind.ofRecording)
        for kind in kinds { #expect(AssetKind(rawValue: kind.rawValue) == kind) }
        #expect(Set(kinds.map(\.rawValue)).count == kinds.count && Set(kinds.map(\.fileName)).count == kinds.count)
        #expect(AssetKind(rawValue: "movie") == .movie(.first) && AssetKind(rawValue: "movie.02")?.segment?.value == 2)
        #expect(AssetKind(rawValue: "frames.99")?.fileName == "frames.99.jsonl")
        let names = segments.dropFirst().map { AssetKind.movie($0).fileName }
        #expect(names == names.sorted(), "a folder lists them in another order")
    }

    @Test(arguments: [
        "movie.", "movie.0", "movie.00", "movie.01", "movie.1", "movie.2", "movie.100", "movie.-2", "movie.+2",
        "movie.002",
        "movie.02.", "movie.02.mov", ".02", "photo.02", "preview.02", "Movie.02", "",
    ])
    func `what no node says is taken for a file`(word: String) {
        #expect(AssetKind(rawValue: word) == nil)
    }

    @Test func `a spool that is full of files of a recording makes a report that no coordinator takes`() throws {
        var generator = SeededGenerator(seed: 5)
        var report = try generator.captureReport()
        let segments = (1...SegmentNumber.limit).compactMap { SegmentNumber($0) }
        report.failed = []
        report.owed = []
        report.files = try segments.flatMap(AssetKind.ofRecording).map { kind in
            SpooledFile(kind: kind, byteCount: 5, digest: try generator.digest())
        }
        // Each report says what the one before owed, until all are told.
        var told: [SpooledFile] = []
        while !report.files.isEmpty {
            let read = try CaptureReport(wire: report.wire)
            #expect(read.files == Array(report.files.prefix(WireLimits.filesPerCapture)))
            told += read.files
            report.files.removeFirst(read.files.count)
            #expect(read.owed == Array(report.files.prefix(2).map(\.kind)))
        }
        #expect(told.count == 2 * SegmentNumber.limit)
    }

    @Test func `a disk that refuses many files of a recording makes a report that no coordinator takes`() throws {
        var generator = SeededGenerator(seed: 6)
        var report = try generator.captureReport()
        report.files = []
        report.owed = AssetKind.ofRecording(try #require(SegmentNumber(4)))
        report.failed = (1...3).compactMap { SegmentNumber($0) }.flatMap(AssetKind.ofRecording).map {
            FailedFile(kind: $0, problem: CaptureProblem(.inputOutput, "no"))
        }
        let first = try CaptureReport(wire: report.wire)
        #expect(first.failed == Array(report.failed.prefix(2)) && first.owed == Array(report.failed[2..<4].map(\.kind)))
        report.failed.removeFirst(4)
        let last = try CaptureReport(wire: report.wire)
        #expect(last.failed == report.failed && last.owed == report.owed)
    }
}
