import ArgumentParser
import CameraKit
import CaptureBackends
import CaptureModel
import DaemonSupport
import Foundation
import KeyFiles
import NodeCore
import PosixSupport
import RigConfiguration
import RigJoining
import RigSecurity
import SystemClock

/// `capagentd join`.
///
/// | step | after a crash, or an error |
/// |---|---|
/// | reads the code, and the configuration or the devices, and refuses what does not fit | nothing has changed |
/// | makes the node's key | the next attempt uses it |
/// | the coordinator admits the key | the same code admits the same key again |
/// | stores the coordinator's key | written in one step; the next attempt writes it again |
/// | writes the configuration, if there was none | written in one step; the next attempt finds the devices again |
/// | starts the service | the next attempt starts it |
struct AgentJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a rig with a code of its coordinator.",
        discussion: """
            `capctl node invite NAME` prints the code. The command makes this node's key and has the coordinator admit it. If \
            there is no configuration, it writes one with every camera and microphone of this machine. It may be repeated.
            """)

    @Argument(help: "The code, as the coordinator printed it.")
    var code: String
    @Option(help: "Configuration file (YAML) of the node; written if it does not exist.")
    var config = "/etc/caprig/agent.yaml"
    @Option(help: "Folder of the spool (default: that of the configuration, or \(AgentConfiguration.Spool().folder)).")
    var spool: String?
    @Option(help: "Folder of the node's keys (default: keys in the spool).")
    var keys: String?
    @Option(help: "Write only devices with this text in their name or line of --list-devices; repeatable.")
    var only: [String] = []
    @Flag(help: "Write a configuration without cameras and microphones.")
    var noCameras = false
    @Flag(help: "Do not start the service.")
    var noStart = false

    func run() async throws {
        try await Daemon.configuration { try await join() }
    }

    private func join() async throws {
        let code = try JoinCode(code)
        guard code.role == .node else {
            throw ValidationError(
                "this code is for the \(code.role.rawValue) '\(code.name)', not for a node; join with it on that person's "
                    + "machine: capctl join CODE")
        }
        let plan = try await NodePlan(self, code)
        let joined = try await ServiceUser.ofAgents.owning([plan.spool, plan.keys]) {
            let node = try NodeKeys(in: plan.keys, environment: ProcessInfo.processInfo.environment)
            let joined = try await RigJoin(time: SystemTimeSource()).join(with: code, keyFile: node.keyFile)
            try node.store(joined)
            return joined
        }
        print("node '\(joined.name)' has joined rig '\(joined.rig)'; its keys are in \(plan.keys)")
        try plan.write(joined)
        if !noStart { try plan.startService() }
    }
}

/// What joining does to this machine, checked before anything is done.
private struct NodePlan {
    let spool: String
    let keys: String
    private let config: String
    private let node: NodeName
    /// nil if there is a configuration.
    private let devices: FoundDevices?
    private let keysOption: String?

    /// The configuration file of the service.
    private static let serviceConfig = "/etc/caprig/agent.yaml"

    init(_ command: AgentJoinCommand, _ code: JoinCode) async throws {
        config = command.config
        node = try NodeName(code.name.rawValue)
        keysOption = command.keys
        if FileManager.default.fileExists(atPath: config) {
            let read = try AgentConfiguration.parse(
                text: try Daemon.text(ofFile: config), file: config, sources: Backends.all.sources)
            try Self.check(read, config, node)
            devices = nil
            (spool, keys) = Self.folders(of: read, command)
            return
        }
        try Self.checkPlace(of: config)
        let inventory = DeviceInventory(command.noCameras ? [] : try await Backends.all.discover())
        let found = try FoundDevices(inventory, only: command.only)
        guard command.noCameras || !(found.cameras.isEmpty && found.microphones.isEmpty) else {
            throw ValidationError(
                "this machine has no camera or microphone that a configuration can name; plug one in, write \(config) "
                    + "yourself, or give --no-cameras")
        }
        devices = found
        (spool, keys) = Self.folders(of: AgentConfiguration(node: node, devices: []), command)
    }

    /// Returns the folders of spool and keys. Options override the configuration.
    private static func folders(
        of configuration: AgentConfiguration, _ command: AgentJoinCommand
    ) -> (spool: String, keys: String) {
        var configuration = configuration
        if let spool = command.spool { configuration.spool.folder = spool }
        if let keys = command.keys { configuration.keysFolder = keys }
        return (configuration.spool.folder, configuration.keys)
    }

    private static func check(_ read: AgentConfiguration, _ config: String, _ node: NodeName) throws {
        guard read.node == node else {
            throw ValidationError(
                "\(config) configures node '\(read.node)', and the code is for node '\(node)'; give the file of that node, or "
                    + "make a code for '\(read.node)': capctl node invite \(read.node)")
        }
    }

    private static func checkPlace(of config: String) throws {
        var folder = URL(filePath: config).standardizedFileURL.deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)),
            folder.pathComponents.count > 1
        {
            folder.deleteLastPathComponent()
        }
        guard FileManager.default.isWritableFile(atPath: folder.path(percentEncoded: false)) else {
            throw ValidationError("\(config) cannot be written; run as root, or give --config")
        }
    }

    /// Writes the configuration, if there is none.
    func write(_ joined: JoinedRig) throws {
        guard let devices else { return }
        let text = devices.yaml(
            node: node, coordinator: joined.control.description, spool: absolute(spool), keys: keysOption.map(absolute))
        _ = try AgentConfiguration.parse(text: text, file: config, sources: Backends.all.sources)
        let file = URL(filePath: config)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
        let names = devices.cameras + devices.microphones
        print("\(config): \(names.isEmpty ? "no devices" : names.joined(separator: ", "))")
        for title in devices.leftOut { print("left out: \(title)") }
    }

    /// Starts the service where there is one for this configuration.
    func startService() throws {
        let unit = "/etc/systemd/system/capagentd.service"
        let isService = config == Self.serviceConfig && geteuid() == 0
        guard isService, FileManager.default.fileExists(atPath: "/run/systemd/system"),
            FileManager.default.fileExists(atPath: unit)
                || FileManager.default.fileExists(atPath: "/usr/local/lib/systemd/system/capagentd.service")
                || FileManager.default.fileExists(atPath: "/lib/systemd/system/capagentd.service")
        else { return print("start it: capagentd --config \(config)") }
        let start = try Process.run(
            URL(filePath: "/usr/bin/env"), arguments: ["systemctl", "enable", "--now", "capagentd"])
        start.waitUntilExit()
        guard start.terminationStatus == 0 else {
            throw ValidationError("the service could not be started; `journalctl -u capagentd` shows why")
        }
        print("the service runs: systemctl status capagentd")
    }

    private func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}
