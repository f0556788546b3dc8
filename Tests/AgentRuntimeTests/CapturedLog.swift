import CaptureTestSupport
import Logging

/// What was logged, for a test to read and to wait for.
struct CapturedLog: LogHandler {
    struct Line: Equatable, Sendable {
        var level: Logger.Level
        var message: String
        var metadata: Logger.Metadata
    }

    let lines = Observed<[Line]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    var logger: Logger { Logger(label: "test") { _ in self } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        lines.change { $0.append(Line(level: event.level, message: "\(event.message)", metadata: all)) }
    }

    /// Returns when this was logged, with the line.
    func line(_ message: String) async -> Line? {
        await lines.wait { $0.contains { $0.message == message } }
        return lines.value.first { $0.message == message }
    }
}
