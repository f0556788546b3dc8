import AgentRuntime
import ArgumentParser
import CaptureModel
import CaptureSystem
import DaemonSupport
import Foundation
import RigConfiguration

@main
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capagentd", abstract: "Runs the cameras of one node of a rig.", version: Agent.software)

    @Option(help: "Configuration file (YAML); without one the node has virtual cameras.")
    var config: String?
    @Option(help: "Name of the node.")
    var node: String?
    @Option(help: "Control endpoint of the coordinator, such as tcp://rig:7710.")
    var coordinator: String?
    @Option(help: "Folder of the spool.")
    var spool: String?
    @Flag(help: "Print the configuration in force and end.")
    var printConfig = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let configuration: AgentConfiguration
        do {
            configuration = try effectiveConfiguration()
        } catch {
            throw Daemon.refusal(error, Daemon.badConfiguration)
        }
        if printConfig { return print(try configuration.yaml()) }
        let log = Daemon.logger("capagentd", daemon)
        let agent: Agent
        do {
            agent = try Agent(configuration: configuration, clock: SystemTimeSource(), log: log)
        } catch {
            throw Daemon.refusal(error, .failure)
        }
        let node = configuration.node.rawValue
        try await Daemon.run(agent, options: daemon, log: log) {
            let settled = try await agent.settled()
            try Daemon.announce(Announcement(node: node, devices: settled.devices, running: settled.running))
        }
    }

    private func effectiveConfiguration() throws -> AgentConfiguration {
        var configuration = AgentConfiguration.virtualRig(node: try NodeName("node1"), cameras: 2)
        if let config {
            configuration = try .parse(text: try String(contentsOfFile: config, encoding: .utf8), file: config)
        }
        if let node { configuration.node = try NodeName(node) }
        if let spool { configuration.spool.folder = spool }
        if let coordinator {
            guard let endpoint = TCPEndpoint(coordinator) else {
                throw ValidationError("'\(coordinator)' is no endpoint; write tcp://HOST:PORT")
            }
            configuration.coordinator = endpoint
        }
        return configuration
    }

    private struct Announcement: Encodable {
        var ready = true
        var node: String
        var devices: Int
        var running: Int
    }
}
