import CaptureModel
import Logging

/// A log whose lines show every text as text. What devices, peers and files have written may have line ends, escape sequences of terminals,
/// and characters that turn the direction of the text around them.
struct PrintableLog<Lines: LogHandler>: LogHandler {
    private var lines: Lines

    init(_ lines: Lines) { self.lines = lines }

    func log(event: LogEvent) {
        var event = event
        event.message = Logger.Message(stringLiteral: event.message.description.escaped)
        event.metadata = event.metadata.map { $0.mapValues(\.escaped) }
        lines.log(event: event)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines[metadataKey: key] }
        set { lines[metadataKey: key] = newValue?.escaped }
    }

    var metadata: Logger.Metadata {
        get { lines.metadata }
        set { lines.metadata = newValue.mapValues(\.escaped) }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { lines.metadataProvider }
        set { lines.metadataProvider = newValue }
    }

    var logLevel: Logger.Level {
        get { lines.logLevel }
        set { lines.logLevel = newValue }
    }
}

extension Logger.MetadataValue {
    fileprivate var escaped: Self {
        switch self {
        case .string(let text): .string(text.escaped)
        case .stringConvertible(let value): .string(value.description.escaped)
        case .array(let values): .array(values.map(\.escaped))
        case .dictionary(let values): .dictionary(values.mapValues(\.escaped))
        }
    }
}
