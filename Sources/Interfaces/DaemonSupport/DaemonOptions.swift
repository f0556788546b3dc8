public import ArgumentParser
public import Logging

/// Options that every daemon has.
public struct DaemonOptions: ParsableArguments {
    @Flag(help: "End when standard input is closed, as it is when the process that started the daemon has gone.")
    public var untilEof = false

    @Flag(help: "Print one line of JSON on standard output when ready.")
    public var announce = false

    @Option(help: "Least severe log messages shown: trace, debug, info, notice, warning, error or critical.")
    public var logLevel = LogLevel.info

    public init() {}
}

/// A log level on a command line.
public struct LogLevel: ExpressibleByArgument, Sendable {
    /// The level in swift-log's terms.
    public let level: Logger.Level

    public static let info = LogLevel(level: .info)

    public init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.init(level: level)
    }

    private init(level: Logger.Level) {
        self.level = level
    }

    public static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }
    public var defaultValueDescription: String { level.rawValue }
}
