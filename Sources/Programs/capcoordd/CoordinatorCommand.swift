import ArgumentParser
import CaptureModel
import CoordinatorChannels
import DaemonSupport
import FaultPoints
import Foundation
import KeyFiles
import Logging
import PosixSupport
import RigConfiguration
import RigSecurity
import SystemClock

@main
struct CoordinatorProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capcoordd", abstract: "Coordinates a rig of cameras: roster, triggers, library, event feed.",
        version: Coordinator.software,
        subcommands: [CoordinatorCommand.self, RestoreCommand.self, CoordinatorDoctorCommand.self],
        defaultSubcommand: CoordinatorCommand.self)
}

/// `capcoordd run`, or `capcoordd` without a subcommand.
struct CoordinatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Coordinate the rig. The default.")

    @OptionGroup var place: PlaceOptions
    @Option(help: "Address or host name of this machine to listen on; * for all addresses.")
    var listen: String?
    @Option(help: "The first of the twelve ports; 0 selects free ports.")
    var basePort: Int?
    @Option(help: "The name by which people tell rigs apart (default: rig).")
    var rig: String?
    #if CAPRIG_WITHOUT_KEYS
    @Flag(help: "Run without keys: anybody may do everything. Only in a build for benchmarks.")
    var insecure = false
    #else
    private var insecure: Bool { false }
    #endif
    @Flag(help: "Print the configuration in force and end.")
    var printConfig = false
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var faults: FaultOptions

    func run() async throws {
        if faults.listFaults { return print(Coordinator.faultPoints.listing, terminator: "") }
        let read: @Sendable () throws -> CoordinatorConfiguration = { [place, listen, basePort, rig] in
            try Self.configuration(place, listen: listen, basePort: basePort, rig: rig)
        }
        let written = try await Daemon.configuration { try read() }
        let configuration = try await Daemon.configuration {
            var configuration = written
            let address = try ListenAddress(option: listen, configured: written.listen.host, key: "listen.host")
            configuration.listen.host = try address.resolved()
            return configuration
        }
        if printConfig { return print(try written.yaml(), terminator: "") }
        LargeBlocks.returnToSystem()
        let clock = SystemTimeSource()
        let reload = try ConfigurationReload(of: written, read: read)
        try await Daemon.start(
            "capcoordd", daemon, faults, points: Coordinator.faultPoints, clock: clock,
            make: { log in
                let keys = insecure ? nil : try await Self.keys(configuration, clock, log)
                return try await Coordinator(
                    configuration: configuration, keys: keys,
                    discipline: try MachineDiscipline.configured(
                        by: configuration.clock, environment: ProcessInfo.processInfo.environment, log: log),
                    clock: clock, log: log)
            },
            reload: { await reload.reload($0, $1) },
            ready: { try await $0.waitUntilRunning() },
            announcement: { Announcement($0.endpoints) })
    }

    private static func keys(
        _ configuration: CoordinatorConfiguration, _ clock: any TimeSource, _ log: Logger
    ) async throws -> CoordinatorKeys {
        let keys = try await KeyFileError.mended(by: PlaceOptions.otherState) {
            try await CoordinatorKeys(
                folder: configuration.stateFolder, rig: try configuration.rig ?? RigName("rig"),
                auditLimit: configuration.audit.limit, environment: ProcessInfo.processInfo.environment, clock: clock,
                log: log)
        }
        log.info("administer this rig with", metadata: ["command": "capctl --admin \(keys.adminFolder)"])
        return keys
    }

    /// The configuration with every default and the options of the command line. Its host to listen on is not looked up.
    private static func configuration(
        _ place: PlaceOptions, listen: String?, basePort: Int?, rig: String?
    ) throws -> CoordinatorConfiguration {
        var configuration = try place.configuration()
        configuration.state.folder = configuration.stateFolder
        configuration.rig = try configuration.rig ?? RigName("rig")
        let address = try ListenAddress(option: listen, configured: configuration.listen.host, key: "listen.host")
        configuration.listen.host = address.name
        if let rig { configuration.rig = try RigName(rig) }
        if let basePort {
            guard let port = UInt16(exactly: basePort), port <= CoordinatorConfiguration.Listen.lastBasePort else {
                throw ValidationError(
                    "--base-port \(basePort) is out of range: the coordinator uses twelve ports from it on, so it must be 0 to "
                        + "\(CoordinatorConfiguration.Listen.lastBasePort)")
            }
            configuration.listen.basePort = port
        }
        return configuration
    }

    private struct Announcement: Encodable {
        var ready = true
        var control: String
        var client: String
        var feed: String
        /// Absent without keys.
        var join: String?
        /// The coordinator's public key; absent without keys.
        var key: String?

        init(_ endpoints: CoordinatorEndpoints) {
            control = endpoints.control
            client = endpoints.client
            feed = endpoints.feed
            join = endpoints.join
            key = endpoints.key
        }
    }
}
