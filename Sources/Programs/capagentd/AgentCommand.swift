import AgentChannels
import ArgumentParser
import CameraKit
import CaptureBackends
import CaptureModel
import DaemonSupport
import FaultPoints
import Foundation
import KeyFiles
import NodeCore
import RigConfiguration
import RigJoining
import SystemClock
import VirtualDevices

@main
struct AgentProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capagentd", abstract: "Runs the cameras of one node of a rig.", version: Agent.software,
        subcommands: [AgentCommand.self, AgentJoinCommand.self, AgentDoctorCommand.self],
        defaultSubcommand: AgentCommand.self)

    static func main() async {
        // The parser's help of a program leaves out the options of its default subcommand.
        if let only = CommandLine.arguments.dropFirst().first, CommandLine.arguments.count == 2,
            ["--help", "-h"].contains(only)
        {
            return print(help)
        }
        await main(nil)
    }

    /// The program's help, with the options of `run`.
    private static var help: String {
        let run = helpMessage(for: AgentCommand.self)
        let options = run.range(of: "OPTIONS:").map { run[$0.lowerBound...] } ?? ""
        return "\(helpMessage())\n\nWithout a subcommand:\n\n\(options)"
    }
}

/// `capagentd run`, or `capagentd` without a subcommand.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the cameras of the node. The default.")

    /// What a person does about a file system that cannot hold keys.
    static let otherKeys = "set keys.folder (--keys)"

    @Option(help: "Configuration file (YAML); without it the node has virtual cameras.")
    var config: String?
    @Option(help: "Name of the node.")
    var node: String?
    @Option(help: "Control endpoint of the coordinator, such as tcp://rig:7710.")
    var coordinator: String?
    @Option(help: "Address or host name of this machine to publish frames on; * for all addresses.")
    var listen: String?
    @Flag(
        help: "Start even if the coordinator's name has no address yet; each attempt to connect looks it up.")
    var allowUnresolved = false
    @Option(help: "Folder of the spool.")
    var spool: String?
    @Option(help: "Folder of the node's keys (default: keys in the spool).")
    var keys: String?
    #if CAPRIG_WITHOUT_KEYS
    @Flag(help: "Run without keys: anybody may watch. Only in a build for benchmarks.")
    var insecure = false
    #else
    private var insecure: Bool { false }
    #endif
    @Flag(help: "Print the configuration in force and end.")
    var printConfig = false
    @Flag(
        help:
            "Print the cameras and microphones of this machine, with the configuration lines that select them, and end."
    )
    var listDevices = false
    @Option(help: "The output format of --list-devices: table, json, or yaml, which is a configuration of the node.")
    var format = ListFormat.table
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var faults: FaultOptions

    enum ListFormat: String, CaseIterable, ExpressibleByArgument {
        case table, json, yaml
    }

    func run() async throws {
        if listDevices { return try await printDevices() }
        if faults.listFaults { return print(Agent.faultPoints.listing, terminator: "") }
        let configuration = try await Daemon.configuration {
            var configuration = try effectiveConfiguration()
            let address = try ListenAddress(
                option: listen, configured: configuration.frames.listen.host, key: "frames.listen.host")
            configuration.frames.listen.host = address.name
            guard configuration.frames.enabled else { return configuration }
            let resolved = try address.resolved()
            // The printed configuration can be used as a file, so it keeps the configured host.
            if !printConfig { configuration.frames.listen.host = resolved }
            return configuration
        }
        if printConfig { return print(try configuration.yaml()) }
        let clock = SystemTimeSource()
        if !allowUnresolved { try await checkCoordinator(configuration.coordinator, clock) }
        let node = configuration.node.rawValue
        try await Daemon.start(
            "capagentd", daemon, faults, points: Agent.faultPoints, clock: clock,
            make: { log in
                let keys =
                    insecure
                    ? nil
                    : try await KeyFileError.mended(by: Self.otherKeys) {
                        try AgentKeys(
                            folder: configuration.keys, environment: ProcessInfo.processInfo.environment, clock: clock,
                            log: log)
                    }
                return try Agent(
                    configuration: configuration, backends: Backends.all, keys: keys,
                    discipline: try MachineDiscipline.configured(
                        by: configuration.clock, environment: ProcessInfo.processInfo.environment, log: log),
                    standing: { await StandingQuery.ask($0, keys: $1, coordinator: $2, context: $3) }, clock: clock,
                    log: log)
            },
            ready: { try await $0.waitUntilRunning() },
            announcement: { agent in
                let settled = try await agent.waitUntilStarted()
                return Announcement(
                    node: node, devices: settled.devices, running: settled.running, frames: agent.framesEndpoint)
            })
    }

    private func checkCoordinator(_ endpoint: TCPEndpoint, _ clock: SystemTimeSource) async throws {
        try await Daemon.configuration {
            do {
                try await HostCheck(time: clock).check(endpoint.host, of: endpoint.description)
            } catch let unresolved as UnresolvedHost {
                throw ValidationError(
                    "\(unresolved); if the name gets its address later, start with --allow-unresolved")
            }
        }
    }

    private func printDevices() async throws {
        let inventory = DeviceInventory(try await Backends.all.discover())
        switch format {
        case .table: print(inventory.table, terminator: "")
        case .json: print(try inventory.json(), terminator: "")
        case .yaml: print(try startingConfiguration(of: inventory), terminator: "")
        }
    }

    /// Returns a configuration that this machine can run, with what the options say.
    private func startingConfiguration(of inventory: DeviceInventory) throws -> String {
        let name = try node.map { try NodeName($0) } ?? .ofThisMachine(orOption: "--node")
        var start = AgentConfiguration(node: name, devices: [])
        if let coordinator { start.coordinator = try TCPEndpoint(parsing: coordinator) }
        if let spool { start.spool.folder = spool }
        let text = try FoundDevices(inventory).yaml(
            by: .listing, node: name, coordinator: start.coordinator.description, spool: start.spool.folder, keys: keys)
        _ = try AgentConfiguration.parse(text: text, file: "the configuration", sources: Backends.all.sources)
        return text
    }

    private func effectiveConfiguration() throws -> AgentConfiguration {
        var configuration = AgentConfiguration.virtualRig(node: try NodeName("node1"), cameras: 2)
        if let config {
            configuration = try AgentConfiguration(file: try ConfigurationFile(config))
        }
        if let node { configuration.node = try NodeName(node) }
        if let spool { configuration.spool.folder = spool }
        if let keys { configuration.keysFolder = keys }
        if let coordinator { configuration.coordinator = try TCPEndpoint(parsing: coordinator) }
        return configuration
    }

    private struct Announcement: Encodable {
        var ready = true
        var node: String
        var devices: Int
        var running: Int
        /// Absent without a frames channel.
        var frames: String?
    }
}
