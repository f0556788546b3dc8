import Logging
import Synchronization
import Testing

@testable import DaemonSupport

/// Lines of a daemon's log with texts that others have written.
@Suite struct PrintableLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private struct Collector: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        func log(event: LogEvent) {
            let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
            let members = metadata.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            lines.all.withLock { $0.append("\(event.message) \(members)") }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
    }

    @Test func `A refusal keeps its lines, and nothing else that acts on a terminal`() {
        struct Mistakes: Error, CustomStringConvertible {
            var description: String { "a.yaml:1:1: one\na.yaml:2:1: \u{1B}[2J\u{202E}two" }
        }
        #expect(Daemon.lines(of: Mistakes()) == "a.yaml:1:1: one\na.yaml:2:1: \u{FFFD}[2J\u{FFFD}two")
    }

    private func line(_ write: (inout Logger) -> Void) throws -> String {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in PrintableLog(Collector(lines: lines)) }
        write(&logger)
        let all = lines.all.withLock { $0 }
        return try #require(all.first)
    }

    @Test func `escapes what would act on a terminal, wherever a text stands`() throws {
        let hostile = "a\u{202E}b\u{2066}c\u{2028}d\u{1B}[2Je\nf"
        let safe = #"a\u{202E}b\u{2066}c\u{2028}d\u{1B}[2Je\nf"#
        #expect(try line { $0.warning("\(hostile)") } == "\(safe) ")
        #expect(try line { $0.error("lost", metadata: ["reason": "\(hostile)"]) } == "lost reason=\(safe)")
        #expect(
            try line {
                $0[metadataKey: "model"] = .stringConvertible(hostile)
                $0.info("seen", metadata: ["names": ["\(hostile)"], "of": ["node": "\(hostile)"]])
            }.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) })
    }

    @Test func `leaves every other text as it is`() throws {
        #expect(try line { $0.info("Kamera „Süd“ 🎥", metadata: ["זמן": "10 ms"]) } == "Kamera „Süd“ 🎥 זמן=10 ms")
    }
}
