internal import CaptureModel
internal import ClientContexts
internal import Foundation
internal import KeyFiles
internal import RigClient
internal import RigDocuments
internal import RigJoining
internal import RigSecurity

/// A coordinator and its agents as processes on loopback.
///
/// Order: `start`, `awaitReadiness`, use, `stop`. Call `stop` after every start, also a failed one; it may be repeated.
actor DemoRig {
    /// How long a daemon may take to announce that it is ready.
    static let announceLimit = Duration.seconds(20)
    /// How long all cameras and clocks may take after that.
    static let readinessLimit = Duration.seconds(30)
    /// How long rings may take to fill. Those of many cameras may be too small for a complete clip.
    static let ringLimit = Duration.seconds(3)
    /// How long a daemon may take to end before it is killed.
    static let grace = Duration.seconds(8)

    let settings: DemoSettings
    let scratch: ScratchFolder
    private let time: any TimeSource
    private var coordinator: ChildProcess?
    private var agents: [ChildProcess] = []
    private var gateway: ChildProcess?

    init(settings: DemoSettings, scratch: ScratchFolder, time: any TimeSource) {
        self.settings = settings
        self.scratch = scratch
        self.time = time
    }

    /// Starts the coordinator, then all agents at once, and waits for their announcements.
    /// - Returns: The coordinator's endpoints.
    func start() async throws -> CoordinatorAnnouncement {
        let coordinator = try await startCoordinator()
        self.coordinator = coordinator
        let endpoints = try await coordinator.announcement(
            CoordinatorAnnouncement.self, within: Self.announceLimit, time: time)
        try await admitNodes()
        for (index, node) in settings.plan.nodes.enumerated() {
            agents.append(try await startAgent(index, node, control: endpoints.control))
        }
        for agent in agents {
            _ = try await agent.announcement(AgentAnnouncement.self, within: Self.announceLimit, time: time)
        }
        return endpoints
    }

    /// The folder of the coordinator's admin key.
    nonisolated var adminFolder: String { scratch.file("coordinator") + "/admin" }

    /// How to connect to the coordinator, once it runs.
    nonisolated var target: RigTarget {
        get throws { try RigTarget(adminFolder: adminFolder) }
    }

    /// Has every node join the rig, as people do with `capctl node invite` and `capagentd join`.
    private func admitNodes() async throws {
        let join = try RigJoin(time: time)
        try await target.withClient { client in
            for node in settings.plan.nodes {
                let keys = try NodeKeys(in: keysFolder(node), environment: [:])
                let (_, code) = try await client.invite(try KeyName(node.name.rawValue), .node)
                try keys.store(try await join.join(with: code, keyFile: keys.keyFile))
            }
        }
    }

    /// Starts a gateway with a key of its own, as people do with `capctl keys invite`, `capctl join` and `capwebd`.
    /// - Returns: Its address.
    func startGateway(_ client: RigClient) async throws -> String {
        let (_, code) = try await client.invite(try KeyName("web"), .dashboard)
        let contexts = ContextFile(in: scratch.file("web") + "/caprig")
        let name = try ContextName(code.rig.rawValue)
        let keyFile = try contexts.keyFile(of: name)
        let joined = try await RigJoin(time: time).join(with: code, keyFile: keyFile)
        let context = try ClientContext(
            name: name, coordinator: joined.client, coordinatorKey: joined.coordinator, keyFile: keyFile.path)
        try contexts.update { list throws(ContextError) in try list.put(context) }
        let gateway = try await ChildProcess.start(
            name: "capwebd", program: "/usr/bin/env",
            arguments: [
                "XDG_CONFIG_HOME=\(scratch.file("web"))", "CAPRIG_CONTEXT=\(name)", settings.programs.gateway, "--port",
                "0",
                "--until-eof", "--announce", "--log-level", settings.logLevel,
            ], logPath: scratch.file("capwebd.log"))
        self.gateway = gateway
        return try await gateway.announcement(GatewayAnnouncement.self, within: Self.announceLimit, time: time).address
    }

    private func keysFolder(_ node: DemoPlan.Node) -> String { scratch.file("\(node.name).keys") }

    /// Waits until every camera runs and every node is synchronized.
    func awaitReadiness(_ client: RigClient) async throws {
        let deadline = time.now() + Self.readinessLimit
        while true {
            let readiness = DemoReadiness(
                plan: settings.plan, status: try await client.status(), devices: try await client.devices())
            if readiness.isComplete { return }
            guard time.now() < deadline else {
                throw CommandFailure(
                    .other,
                    "the rig was not ready within \(Self.readinessLimit.shortText): \(readiness.problem); logs "
                        + "are in \(scratch.path)")
            }
            try checkDaemons()
            try await time.sleep(for: .milliseconds(100))
        }
    }

    /// Waits until the rings of all nodes have enough frames for complete clips, at most ``ringLimit``.
    func awaitRings(_ client: RigClient) async throws {
        let deadline = time.now() + Self.ringLimit
        while time.now() < deadline {
            let reach = try await client.status().nodes.map(\.ringDepth).min() ?? .zero
            if reach >= LivePhotoMovie.fullPreRoll { return }
            try await time.sleep(for: .milliseconds(100))
        }
    }

    /// Watches the daemons until it is cancelled.
    /// - Throws: ``CommandFailure`` if a daemon has ended.
    func watch() async throws {
        while true {
            try checkDaemons()
            try await time.sleep(for: .milliseconds(500))
        }
    }

    private func checkDaemons() throws {
        guard let ended = (agents + [gateway, coordinator].compactMap(\.self)).first(where: \.hasEnded) else { return }
        throw CommandFailure(.other, "\(ended.name) has ended; the end of its log:\n\(ended.lastLogLines(8))")
    }

    /// Ends agents and gateway, then the coordinator, so that the last answers still reach it.
    /// - Returns: Names of the daemons that had to be killed.
    @discardableResult
    func stop() async -> [String] {
        var killed = await Self.stop(agents + [gateway].compactMap(\.self), time: time)
        if let coordinator { killed += await Self.stop([coordinator], time: time) }
        (agents, gateway, coordinator) = ([], nil, nil)
        return killed
    }

    private static func stop(_ children: [ChildProcess], time: any TimeSource) async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for child in children {
                group.addTask { await child.stop(grace: grace, time: time) ? nil : child.name }
            }
            return await group.reduce(into: []) { names, name in if let name { names.append(name) } }
        }
    }

    private func startCoordinator() async throws -> ChildProcess {
        try await ChildProcess.start(
            name: "capcoordd", program: settings.programs.coordinator,
            arguments: [
                "--library", settings.library, "--state", scratch.file("coordinator"), "--base-port", "0",
                "--until-eof", "--announce", "--log-level", settings.logLevel,
            ],
            logPath: scratch.file("capcoordd.log"))
    }

    private func startAgent(_ index: Int, _ node: DemoPlan.Node, control: String) async throws -> ChildProcess {
        let configuration = scratch.file("\(node.name).yaml")
        try settings.plan.yaml(node).write(toFile: configuration, atomically: false, encoding: .utf8)
        let command = [
            settings.programs.agent, "--config", configuration, "--coordinator", control, "--spool",
            scratch.file("\(node.name).spool"), "--keys", keysFolder(node), "--until-eof", "--announce", "--log-level",
            settings.logLevel,
        ]
        let shifted = settings.usesTimeNamespaces
        return try await ChildProcess.start(
            name: "capagentd \(node.name)", program: shifted ? TimeShift.program : command[0],
            arguments: shifted ? TimeShift.arguments(node: index, command: command) : Array(command.dropFirst()),
            logPath: scratch.file("\(node.name).log"))
    }
}

/// Whether a demo's rig can be triggered, and if not, why.
struct DemoReadiness {
    var plan: DemoPlan
    var status: RigStatus
    var devices: [DeviceStatus]

    var isComplete: Bool { problems.isEmpty }

    /// The reasons why the rig is not ready, as one sentence.
    var problem: String { problems.joined(separator: "; ") }

    private var problems: [String] {
        plan.nodes.compactMap(problem) + devices.filter { !$0.condition.isUsable }.map(problem)
    }

    private func problem(_ node: DemoPlan.Node) -> String? {
        guard let found = status.nodes.first(where: { $0.node == node.name }), found.isConnected else {
            return "\(node.name) is not connected"
        }
        guard found.devices == node.cameras.count else {
            return "\(node.name) has \(found.devices) of \(node.cameras.count) cameras"
        }
        return found.clockBound == nil ? "\(node.name) is not synchronized" : nil
    }

    private func problem(_ status: DeviceStatus) -> String {
        let reason = status.condition.reason.map { " (\($0))" } ?? ""
        return "\(status.device.id) is \(status.condition.state.rawValue)\(reason)"
    }
}
