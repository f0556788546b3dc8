public import ArgumentParser
import CaptureModel
import Foundation
import Logging
import PosixSupport
import ServiceLifecycle
import UnixSignals
import ZeroMQ

/// Runs a daemon's service until it is asked to end: by SIGTERM, SIGINT, or the end of standard input.
public enum Daemon {
    /// The exit status for a command line or configuration that cannot be used (`EX_USAGE` of sysexits.h).
    public static let badConfiguration = ExitCode(64)

    /// A logger that writes to standard error.
    static func logger(_ label: String, _ options: DaemonOptions) -> Logger {
        var logger = Logger(label: label) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = options.logLevel.level
        return logger
    }

    /// Takes as many descriptors as the system gives, so that peers who only connect do not take those of files.
    static func raiseDescriptorLimit(_ log: Logger) {
        do throws(PosixError) {
            let limit = try DescriptorLimit.raise()
            log.debug("descriptors", metadata: ["limit": "\(limit)"])
        } catch {
            log.warning("the limit of open files stays as it is", metadata: ["reason": "\(error)"])
        }
    }

    /// Says which libzmq everything depends on, and warns of one that a peer can abort.
    static func tellLibrary(_ library: ZeroMQLibrary, _ log: Logger) {
        guard library.isHardened else {
            return log.warning(
                "any peer can abort this process through its libzmq; build it with make, which links one that is mended",
                metadata: ["libzmq.version": "\(library.version)"])
        }
        log.debug(
            "libzmq",
            metadata: [
                "libzmq.version": "\(library.version)", "libzmq.patches": "\(library.patches.joined(separator: ", "))",
            ])
    }

    /// Runs a service until it is asked to end, by a signal or the end of standard input. It may take four seconds; then
    /// its tasks are cancelled. After five, or at a second signal, the process ends with status 1.
    /// - Parameter announce: Called beside it when `--announce` is given; waits until the daemon is ready and says so.
    static func run(
        _ service: any Service, options: DaemonOptions, clock: any TimeSource, log: Logger,
        announce: @escaping @Sendable () async throws -> Void
    ) async throws {
        var configurations = [ServiceGroupConfiguration.ServiceConfiguration(service: service)]
        if options.announce {
            configurations.append(
                ServiceGroupConfiguration.ServiceConfiguration(service: ReadyAnnouncement(announce: announce)))
        }
        if options.untilEof {
            configurations.append(
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: StandardInputWatch(), successTerminationBehavior: .gracefullyShutdownGroup))
        }
        // The last one is the first to be told of the end.
        configurations.append(
            ServiceGroupConfiguration.ServiceConfiguration(service: EndingWatch(clock: clock, log: log)))
        var configuration = ServiceGroupConfiguration(
            services: configurations, gracefulShutdownSignals: [.sigterm, .sigint], logger: log)
        configuration.maximumGracefulShutdownDuration = .seconds(4)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Prints one line of JSON on standard output at once.
    static func announce(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try FileHandle.standardOutput.write(contentsOf: try encoder.encode(value) + Data("\n".utf8))
    }

    /// Says on standard error why the daemon does not start, and returns what to throw.
    static func refusal(_ reason: any Error, _ code: ExitCode) -> ExitCode {
        FileHandle.standardError.write(Data("error: \(reason)\n".utf8))
        return code
    }
}
