public import Logging

/// What was logged, for a test to read and to wait for.
public struct CapturedLog: LogHandler {
    public struct Line: Equatable, Sendable {
        public var level: Logger.Level
        public var message: String
        public var metadata: Logger.Metadata
    }

    public let lines = Observed<[Line]>([])
    public var metadata: Logger.Metadata = [:]
    public var logLevel = Logger.Level.trace

    public init() {}

    public var logger: Logger { Logger(label: "test") { _ in self } }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        lines.change { $0.append(Line(level: event.level, message: "\(event.message)", metadata: all)) }
    }

    /// Returns when this was logged, with the line.
    public func line(_ message: String) async -> Line? {
        await lines.wait { $0.contains { $0.message == message } }
        return lines.value.first { $0.message == message }
    }
}
