public import ArgumentParser
public import CaptureModel
public import FaultPoints
import Foundation
import Glibc
public import Logging
import PosixSupport
public import ServiceLifecycle
import ZeroMQ

extension Daemon {
    /// The configuration of a daemon.
    /// - Throws: An exit status if there is no valid configuration, usually ``badConfiguration``, after the reason is
    ///   on standard error.
    public static func configuration<Configuration>(
        _ make: () async throws -> Configuration
    ) async throws(ExitCode) -> Configuration {
        do {
            return try await make()
        } catch let error as UnusableListenAddress {
            throw refusal(error, error.exitCode)
        } catch {
            throw refusal(error, badConfiguration)
        }
    }

    /// Runs a command of a daemon that ends by itself.
    /// - Parameter status: The exit status for an error.
    /// - Throws: That status, after the reason is on standard error.
    public static func perform(
        _ body: () async throws -> Void, status: (any Error) -> ExitCode
    ) async throws(ExitCode) {
        do {
            try await body()
        } catch {
            throw refusal(error, status(error))
        }
    }

    /// Creates a daemon's service and runs it until its end is requested.
    /// - Parameters:
    ///   - label: The program's name, for its log.
    ///   - points: The points where `faults` may occur.
    ///   - make: Creates the service, with its logger.
    ///   - reload: Reads the configuration again, at each SIGHUP; nil leaves the signal's default, which ends the process.
    ///   - ready: Waits until the service is ready, for a service manager that waits too; nil if none does.
    ///   - announcement: The value that `--announce` prints; waits until the service is ready.
    /// - Throws: An exit status, after the reason why the daemon does not start is on standard error.
    public static func start<Runner: Service, Announcement: Encodable & SendableMetatype>(
        _ label: String, _ options: DaemonOptions, _ faults: FaultOptions, points: FaultCatalogue,
        clock: any TimeSource, make: (Logger) async throws -> Runner,
        reload: (@Sendable (Runner, Logger) async -> Void)? = nil,
        ready: (@Sendable (Runner) async throws -> Void)? = nil,
        announcement: @escaping @Sendable (Runner) async throws -> Announcement
    ) async throws {
        let log = logger(label, options)
        raiseDescriptorLimit(log)
        tellLibrary(.linked, log)
        try await configuration { try faults.arm(points, clock: clock, log: log) }
        let service: Runner
        do {
            service = try await make(log)
        } catch {
            throw refusal(error, .failure)
        }
        var reloading: (@Sendable () async -> Void)?
        if let reload { reloading = { [log] in await reload(service, log) } }
        var tellManager: (@Sendable () async throws -> Void)?
        if let ready, let manager = ServiceManager(environment: ProcessInfo.processInfo.environment) {
            tellManager = {
                try await ready(service)
                try await tellReady(manager, clock, log)
            }
        }
        try await run(
            service, options: options, clock: clock, log: log, reload: reloading,
            announce: { try announce(await announcement(service)) }, tellManager: tellManager)
    }

    /// Tells a service manager that the daemon is ready. What it cannot be told does not end the daemon.
    private static func tellReady(_ manager: ServiceManager, _ clock: any TimeSource, _ log: Logger) async throws {
        while true {
            do throws(PosixError) {
                return try manager.tellReady()
            } catch {
                guard error.code == EAGAIN else {
                    return log.error(
                        "the service manager cannot be told that the daemon is ready", metadata: ["reason": "\(error)"])
                }
            }
            try await clock.sleep(for: .milliseconds(50))
        }
    }
}

/// Options of every daemon.
public struct DaemonOptions: ParsableArguments {
    @Flag(help: "End when standard input is closed, which also happens when the process that started the daemon ends.")
    public var untilEof = false

    @Flag(help: "Print one line of JSON on standard output when ready.")
    public var announce = false

    @Option(help: "The least severe log messages to show: trace, debug, info, notice, warning, error or critical.")
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

/// Options by which a test makes a daemon fail. No configuration file and no environment variable can do this.
public struct FaultOptions: ParsableArguments {
    @Flag(
        help: "Print the points at which a test can make this daemon fail and the possible faults, and end."
    )
    public var listFaults = false

    @Option(help: ArgumentHelp("A fault for a test.", visibility: .hidden))
    var fault: [String] = []

    @Option(
        help: ArgumentHelp(
            "File to which the reached points and the faults that struck are written.", visibility: .hidden))
    var faultReport: String?

    public init() {}

    /// Requests the given faults, and warns of them; does nothing without faults. Call it before the daemon's service
    /// is created.
    /// - Throws: If a fault is not possible, or the report cannot be opened.
    func arm(_ catalogue: FaultCatalogue, clock: any TimeSource, log: Logger) throws {
        guard !fault.isEmpty || faultReport != nil else { return }
        let rules = try catalogue.rules(fault)
        Faults.arm(rules, report: try faultReport.map { try FaultReport(path: $0) }, clock: clock)
        log.warning("this daemon fails on purpose, for a test", metadata: ["faults": "\(fault)"])
    }
}
