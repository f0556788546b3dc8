import ArgumentParser
import CoordinatorChannels
import DaemonSupport
import FaultPoints
import Foundation
import PosixSupport
import RigConfiguration
import SystemClock

@main
struct CoordinatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capcoordd", abstract: "Coordinates a rig of cameras: roster, triggers, library, event feed.",
        version: Coordinator.software)

    @Option(help: "Configuration file (YAML); options given here override it.")
    var config: String?
    @Option(help: "Folder of the library.")
    var library: String?
    @Option(help: "Folder of the coordinator's state (default: .caprig in the library).")
    var state: String?
    @Option(help: "Address or host name of this machine to listen on; * for all addresses.")
    var listen: String?
    @Option(help: "The first of the five ports; 0 selects free ports.")
    var basePort: Int?
    @Flag(help: "Listen beyond this machine, although connections are neither authenticated nor encrypted.")
    var insecure = false
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var faults: FaultOptions

    func run() async throws {
        if faults.listFaults { return print(Coordinator.faultPoints.listing, terminator: "") }
        let configuration = try await Daemon.configuration {
            var configuration = try effectiveConfiguration()
            let address = try ListenAddress(option: listen, configured: configuration.listen.host, key: "listen.host")
            configuration.listen.host = try address.resolved(
                insecure: insecure, consequence: "trigger and read this rig")
            return configuration
        }
        LargeBlocks.returnToSystem()
        let clock = SystemTimeSource()
        try await Daemon.start(
            "capcoordd", daemon, faults, points: Coordinator.faultPoints, clock: clock,
            make: { try await Coordinator(configuration: configuration, clock: clock, log: $0) },
            announcement: { Announcement($0.endpoints) })
    }

    private func effectiveConfiguration() throws -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        if let config {
            configuration = try .parse(text: try Daemon.text(ofFile: config), file: config)
        }
        if let library { configuration.library.folder = library }
        if let state { configuration.state.folder = state }
        if let basePort {
            guard let port = UInt16(exactly: basePort), port <= CoordinatorConfiguration.Listen.lastBasePort else {
                throw ValidationError(
                    "--base-port \(basePort) is out of range: the coordinator uses five ports from it on, so it must be 0 to "
                        + "\(CoordinatorConfiguration.Listen.lastBasePort)")
            }
            configuration.listen.basePort = port
        }
        // Clients get the path of the library, and they may run in another folder.
        configuration.library.folder = Self.absolute(configuration.library.folder)
        configuration.state.folder = configuration.state.folder.map(Self.absolute)
        return configuration
    }

    private static func absolute(_ folder: String) -> String {
        URL(filePath: folder).standardizedFileURL.path(percentEncoded: false)
    }

    private struct Announcement: Encodable {
        var ready = true
        var control: String
        var client: String
        var feed: String

        init(_ endpoints: CoordinatorEndpoints) {
            control = endpoints.control
            client = endpoints.client
            feed = endpoints.feed
        }
    }
}
