import ArgumentParser
import CameraKit
import CaptureBackends
import CaptureModel
import DaemonSupport
import Doctor
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
/// | the coordinator admits the key | the same code admits the same key again; an approved key stays approved |
/// | compares the coordinator with that of the configuration, if there is one | the next attempt compares again |
/// | stores the coordinator's key | written in one step; the next attempt writes it again |
/// | writes the configuration, if there was none | written in one step; the next attempt finds the devices again |
/// | starts the service | the next attempt starts it |
struct AgentJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a rig with a code of its coordinator, or by the approval of an admin.",
        discussion: """
            `capctl node invite NAME` prints the code. The command makes this node's key and has the coordinator admit it. If \
            there is no configuration, it writes one with every camera and microphone of this machine. It may be repeated.

            Where no code can be pasted: capagentd join --request HOST --coordinator-key KEY
            The command shows this machine's fingerprint, and waits until an admin approves it.

            Exit status: 0 joined, 4 refused, 6 no coordinator, 64 wrong command line or configuration, 1 anything else.
            """)

    @OptionGroup var options: JoinOptions
    @Option(help: "Configuration file (YAML) of the node; written if it does not exist.")
    var config = AgentConfiguration.serviceFile
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
        try await Daemon.perform(
            { try await KeyFileError.mended(by: AgentCommand.otherKeys, join) }, status: JoinFailure.status)
    }

    private func join() async throws {
        let way = try await options.way()
        let plan = try await NodePlan(self, try name(way))
        let (joined, remark) = try await ServiceUser.ofAgents.owning([plan.spool, plan.keys]) {
            let node = try NodeKeys(in: plan.keys, environment: ProcessInfo.processInfo.environment)
            let join = try RigJoin(time: SystemTimeSource())
            let joined = try await admission(way, join, node, as: plan.node)
            try plan.check(joined)
            let remark = try await plan.remark(on: joined, join, keyFile: node.keyFile)
            try node.store(joined)
            return (joined, remark)
        }
        print("node '\(joined.name)' has joined rig '\(joined.rig)'; its keys are in \(plan.keys)")
        if let remark { print("warning: \(remark)") }
        try plan.write(joined)
        if !noStart { try plan.startService() }
        await examine()
    }

    /// Prints what `capagentd doctor` finds, if it finds something. The machine has joined all the same.
    private func examine() async {
        guard let configuration = try? AgentConfiguration(file: try ConfigurationFile(config)),
            let examination = try? await AgentExaminer(configuration, file: config, time: SystemTimeSource()).examine(),
            !examination.findings.isEmpty
        else { return }
        print(examination.text, terminator: "")
        print(
            "`capagentd doctor\(config == AgentConfiguration.serviceFile ? "" : " --config \(config)")` checks it again"
        )
    }

    /// Returns the name that code or options ask for; nil for any.
    private func name(_ way: JoinOptions.Way) throws -> KeyName? {
        guard case .code(let code) = way else { return options.name }
        guard code.role == .node else {
            throw ValidationError(
                "this code is for the \(code.role.rawValue) '\(code.name)', not for a node; join with it on that person's "
                    + "machine: capctl join CODE")
        }
        return code.name
    }

    private func admission(
        _ way: JoinOptions.Way, _ join: RigJoin, _ node: NodeKeys, as name: NodeName
    ) async throws -> JoinedRig {
        switch way {
        case .code(let code): return try await join.join(with: code, keyFile: node.keyFile)
        case .approval(let coordinator):
            return try await join.join(
                approvedBy: coordinator, as: try KeyName(name.rawValue), .node, keyFile: node.keyFile,
                within: options.patience
            ) { key in
                // At once, also into a pipe.
                let text = ApprovalText.waiting(for: key, at: coordinator) + "\n"
                try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            }
        }
    }
}

/// What joining does to this machine, checked before anything is done.
private struct NodePlan {
    let spool: String
    let keys: String
    /// The name of the node; with a code, that of the code.
    let node: NodeName
    /// The coordinator of the configuration; nil if there is none.
    private let coordinator: TCPEndpoint?
    private let config: String
    /// nil if there is a configuration.
    private let devices: FoundDevices?
    private let keysOption: String?

    /// - Parameter name: The node's name; nil for that of the configuration, or else of the machine.
    init(_ command: AgentJoinCommand, _ name: KeyName?) async throws {
        config = command.config
        let wanted = try name.map { try NodeName($0.rawValue) }
        keysOption = command.keys
        if FileManager.default.fileExists(atPath: config) {
            let read = try AgentConfiguration(file: try ConfigurationFile(config))
            if let wanted { try Self.check(read, config, wanted) }
            node = read.node
            coordinator = read.coordinator
            devices = nil
            (spool, keys) = Self.folders(of: read, command)
            return
        }
        node = try wanted ?? .ofThisMachine(orOption: "--name")
        coordinator = nil
        try Self.checkPlace(of: config)
        let inventory = DeviceInventory(command.noCameras ? [] : try await Backends.all.discover())
        let found = try FoundDevices(inventory, only: command.only)
        guard command.noCameras || !(found.cameras.isEmpty && found.microphones.isEmpty) else {
            throw JoinFailure(
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
                "\(config) configures node '\(read.node)', and not node '\(node)', for which the code or --name is; give the "
                    + "file of that node, or make a code for '\(read.node)': capctl node invite \(read.node)")
        }
    }

    /// Checks that the admin who has approved the machine decided what this machine can be.
    func check(_ joined: JoinedRig) throws {
        guard joined.role == .node else {
            throw JoinFailure(
                "the rig knows this machine's key as \(joined.role.rawValue) '\(joined.name)', and not as a node; revoke it "
                    + "(`capctl keys revoke \(joined.name)`), delete \(keys), and join again", ExitCode(4))
        }
        guard devices != nil || joined.name.rawValue == node.rawValue else {
            throw JoinFailure(
                "the rig has admitted this machine as node '\(joined.name)', and \(config) configures '\(node)'; write `node: "
                    + "\(joined.name)` there, or rename the key: capctl keys rename \(joined.name) \(node)", ExitCode(4)
            )
        }
    }

    /// Compares the coordinator of the configuration with the one that has admitted this machine.
    /// - Returns: A remark for people, if there is one.
    func remark(on joined: JoinedRig, _ join: RigJoin, keyFile: KeyFile) async throws -> String? {
        guard let coordinator else { return nil }
        return try await join.check(coordinator, in: config, against: joined, keyFile: keyFile)
    }

    private static func checkPlace(of config: String) throws {
        var folder = URL(filePath: config).standardizedFileURL.deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)),
            folder.pathComponents.count > 1
        {
            folder.deleteLastPathComponent()
        }
        guard FileManager.default.isWritableFile(atPath: folder.path(percentEncoded: false)) else {
            throw JoinFailure("\(config) cannot be written; run as root, or give --config")
        }
    }

    /// Writes the configuration, if there is none.
    func write(_ joined: JoinedRig) throws {
        guard let devices else { return }
        let text = devices.yaml(
            node: try NodeName(joined.name.rawValue), coordinator: joined.control.description, spool: absolute(spool),
            keys: keysOption.map(absolute))
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
        let isService = config == AgentConfiguration.serviceFile && geteuid() == 0
        guard isService, FileManager.default.fileExists(atPath: "/run/systemd/system"),
            FileManager.default.fileExists(atPath: unit)
                || FileManager.default.fileExists(atPath: "/usr/local/lib/systemd/system/capagentd.service")
                || FileManager.default.fileExists(atPath: "/lib/systemd/system/capagentd.service")
        else { return print("start it: capagentd --config \(config)") }
        let start = try Process.run(
            URL(filePath: "/usr/bin/env"), arguments: ["systemctl", "enable", "--now", "capagentd"])
        start.waitUntilExit()
        guard start.terminationStatus == 0 else {
            throw JoinFailure("the service could not be started; `journalctl -u capagentd` shows why")
        }
        print("the service runs: systemctl status capagentd")
    }

    private func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }
}
