public import ArgumentParser
public import CaptureModel
public import FaultPoints
import Foundation
import Glibc
public import Logging
public import ServiceLifecycle
import ZeroMQ

extension Daemon {
    /// The configuration that a daemon is to run with.
    /// - Throws: An exit status where there is none, in general ``badConfiguration``, once standard error says why.
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

    /// The text of a configuration file, which may be a pipe.
    public static func text(ofFile path: String) throws -> String {
        if let kind = UnreadableConfiguration.unusableKind(path) {
            throw UnreadableConfiguration(path: path, reason: "it is a \(kind); name a file with YAML")
        }
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw UnreadableConfiguration(path: path, reason: error.localizedDescription)
        }
    }

    private struct UnreadableConfiguration: Error, CustomStringConvertible {
        var path: String
        var reason: String

        var description: String { "\(path): the configuration cannot be read: \(reason)" }

        /// What has no text of its own; nil for files and pipes, and for what is not there.
        static func unusableKind(_ path: String) -> String? {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            return switch status.st_mode & S_IFMT {
            case S_IFDIR: "folder"
            case S_IFCHR, S_IFBLK: "device"
            case S_IFSOCK: "socket"
            default: nil
            }
        }
    }

    /// Makes a daemon's service and runs it until it is asked to end.
    /// - Parameters:
    ///   - label: The program's name, for its log.
    ///   - points: Where `faults` may make it fail.
    ///   - make: Makes the service, with its logger.
    ///   - announcement: What `--announce` prints; waits until the service is ready.
    /// - Throws: An exit status, once standard error says why the daemon does not start.
    public static func start<Runner: Service, Announcement: Encodable & SendableMetatype>(
        _ label: String, _ options: DaemonOptions, _ faults: FaultOptions, points: FaultCatalogue,
        clock: any TimeSource, make: (Logger) async throws -> Runner,
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
        try await run(service, options: options, clock: clock, log: log) { try announce(await announcement(service)) }
    }
}
