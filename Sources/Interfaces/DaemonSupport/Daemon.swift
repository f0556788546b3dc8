public import ArgumentParser
import CaptureModel
import Foundation
import Glibc
import Logging
import PosixSupport
import ServiceLifecycle
import UnixSignals
import ZeroMQ

/// Runs a daemon's service until its end is requested by SIGTERM, SIGINT, or the end of standard input.
public enum Daemon {
    /// The exit status for a command line or configuration that cannot be used (`EX_USAGE` of sysexits.h).
    public static let badConfiguration = ExitCode(64)

    /// A logger that writes to standard error.
    static func logger(_ label: String, _ options: DaemonOptions) -> Logger {
        var logger = Logger(label: label) { PrintableLog(StreamLogHandler.standardError(label: $0)) }
        logger.logLevel = options.logLevel.level
        return logger
    }

    /// Raises the limit of descriptors to the system's maximum, so that connected peers do not use up the descriptors
    /// for files.
    static func raiseDescriptorLimit(_ log: Logger) {
        do throws(PosixError) {
            let limit = try DescriptorLimit.raise()
            log.debug("descriptors", metadata: ["limit": "\(limit)"])
        } catch {
            log.warning("the limit of open files cannot be raised", metadata: ["reason": "\(error)"])
        }
    }

    /// Logs the libzmq in use, and warns if a peer can abort it.
    static func tellLibrary(_ library: ZeroMQLibrary, _ log: Logger) {
        guard library.isHardened else {
            return log.warning(
                "any peer can abort this process through its libzmq; build it with make, which links a patched libzmq",
                metadata: ["libzmq.version": "\(library.version)"])
        }
        log.debug(
            "libzmq",
            metadata: [
                "libzmq.version": "\(library.version)", "libzmq.patches": "\(library.patches.joined(separator: ", "))",
            ])
    }

    /// Runs a service until its end is requested by a signal or the end of standard input. The service may take four
    /// seconds to end; then its tasks are cancelled. After five seconds, or at a second signal, the process ends with
    /// status 1.
    /// - Parameters:
    ///   - reload: Called at each SIGHUP; nil leaves the signal's default, which ends the process.
    ///   - announce: Runs concurrently if `--announce` is given; waits until the daemon is ready and announces it.
    ///   - tellManager: Runs concurrently; waits until the daemon is ready and tells its service manager. nil without one.
    static func run(
        _ service: any Service, options: DaemonOptions, clock: any TimeSource, log: Logger,
        reload: (@Sendable () async -> Void)?, announce: @escaping @Sendable () async throws -> Void,
        tellManager: (@Sendable () async throws -> Void)?
    ) async throws {
        var configurations = [ServiceGroupConfiguration.ServiceConfiguration(service: service)]
        if options.announce {
            configurations.append(
                ServiceGroupConfiguration.ServiceConfiguration(service: ReadyAnnouncement(announce: announce)))
        }
        if let tellManager {
            configurations.append(
                ServiceGroupConfiguration.ServiceConfiguration(service: ReadyAnnouncement(announce: tellManager)))
        }
        if options.untilEof {
            configurations.append(
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: StandardInputWatch(), successTerminationBehavior: .gracefullyShutdownGroup))
        }
        if let reload {
            configurations.append(ServiceGroupConfiguration.ServiceConfiguration(service: ReloadWatch(reload: reload)))
        }
        // The last service is the first one that is asked to end.
        configurations.append(
            ServiceGroupConfiguration.ServiceConfiguration(service: ShutdownWatchdog(clock: clock, log: log)))
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

    /// Writes the reason why the daemon does not start to standard error, and returns the error to throw.
    static func refusal(_ reason: any Error, _ code: ExitCode) -> ExitCode {
        FileHandle.standardError.write(Data("error: \(lines(of: reason))\n".utf8))
        return code
    }

    /// The reason in its lines, each harmless for a terminal.
    static func lines(of reason: any Error) -> String {
        "\(reason)".split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable() }
            .joined(separator: "\n")
    }
}

/// A service that ends the process if the process does not end in time, or at a second request to end.
struct ShutdownWatchdog: Service {
    /// How long an orderly end may take. The next start resumes unfinished work, as after a crash.
    static let deadline = Duration.seconds(5)

    let clock: any TimeSource
    let log: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        // Both tasks outlive this service, which ends first: they remain if another service does not end.
        Task {
            var count = 0
            for await signal in signals {
                count += 1
                if count == 2 { end("a second signal, \(signal)") }
            }
        }
        try await gracefulShutdown()
        Task {
            try await clock.sleep(for: Self.deadline)
            end("ending takes longer than \(Self.deadline.text)")
        }
    }

    private func end(_ reason: String) {
        log.critical(
            "the process ends at once; its next start resumes unfinished work", metadata: ["reason": "\(reason)"])
        _exit(1)
    }
}

/// A service that waits until the daemon is ready, announces it, and then does nothing.
struct ReadyAnnouncement: Service {
    let announce: @Sendable () async throws -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await announce() }
        } catch is CancellationError {
            // The end was requested before the daemon was ready.
            return
        }
        // If a service ends, the group ends, so this one remains until a graceful shutdown.
        try? await gracefulShutdown()
    }
}

/// A service that has the daemon read its configuration again at each SIGHUP, one after the other.
struct ReloadWatch: Service {
    let reload: @Sendable () async -> Void

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }
}

/// A service that ends when standard input does.
struct StandardInputWatch: Service {
    func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        // The thread blocks in read(2) until the process ends, so it is not joined.
        let thread = try NamedThread(name: "stdin") {
            var byte: UInt8 = 0
            while true {
                let count = unsafe read(STDIN_FILENO, &byte, 1)
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            end.finish()
        }
        thread.detach()
        await cancelWhenGracefulShutdown {
            for await _ in ends {}
        }
    }
}
