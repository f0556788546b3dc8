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
    /// How long a daemon may take to announce that it is ready, and how long cameras, microphones, clocks and rings may
    /// take after that. Everything waits for events, so this only ends a wait that would have no end.
    static let limit = Duration.seconds(120)
    /// How long a daemon may take to end before it is killed.
    static let grace = Duration.seconds(8)

    let settings: DemoSettings
    let scratch: ScratchFolder
    private let time: any TimeSource
    private let progress: DemoProgress
    private var coordinator: ChildProcess?
    private var agents: [ChildProcess] = []
    private var gateway: ChildProcess?

    init(settings: DemoSettings, scratch: ScratchFolder, time: any TimeSource, progress: DemoProgress) {
        self.settings = settings
        self.scratch = scratch
        self.time = time
        self.progress = progress
    }

    /// Starts the coordinator, then all agents at once, and waits for their announcements.
    /// - Returns: The coordinator's endpoints.
    func start() async throws -> CoordinatorAnnouncement {
        progress.show("starting the coordinator")
        let coordinator = try await startCoordinator()
        self.coordinator = coordinator
        let endpoints = try await coordinator.announcement(
            CoordinatorAnnouncement.self, within: Self.limit, time: time)
        try await admitNodes()
        for (index, node) in settings.plan.nodes.enumerated() {
            agents.append(try await startAgent(index, node, control: endpoints.control))
        }
        for (index, agent) in agents.enumerated() {
            let names = settings.plan.nodes[index...].map(\.name.rawValue).joined(separator: ", ")
            progress.show("waiting for agents to open their devices", names)
            _ = try await agent.announcement(AgentAnnouncement.self, within: Self.limit, time: time)
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
                let name = try KeyName(node.name.rawValue)
                let keys = try NodeKeys(in: keysFolder(node), environment: [:])
                let (_, code) = try await answered("waiting for nodes to join", node.name.rawValue) {
                    try await client.invite(name, .node)
                }
                // A code that has admitted a key admits it again.
                let joined = try await answered("waiting for nodes to join", node.name.rawValue) {
                    try await join.join(with: code, keyFile: keys.keyFile)
                }
                try keys.store(joined)
            }
        }
    }

    /// Makes a request again as long as the coordinator does not answer, which may be because the machine is busy. Each
    /// request has its own, shorter limit.
    private func answered<Answer>(
        _ topic: String, _ detail: String, _ request: () async throws -> Answer
    ) async throws -> Answer {
        let deadline = time.now() + Self.limit
        while true {
            do {
                progress.show(topic, detail)
                return try await request()
            } catch let error where Self.isUnanswered(error) && time.now() < deadline {
                try checkDaemons()
                progress.show("the coordinator does not answer; asking again", "\(topic): \(detail)")
            }
        }
    }

    /// Whether the coordinator does not answer. It is this rig's own, so one that ends connections before it has proven
    /// its key is only too busy to do so in time.
    private static func isUnanswered(_ error: any Error) -> Bool {
        switch error {
        case let error as RigClientError:
            [.noCoordinator, .lostCoordinator, .wrongCoordinator].contains(error.code)
        case let error as JoinError: [.noCoordinator, .wrongCoordinator].contains(error.code)
        default: false
        }
    }

    /// Starts a gateway with a key of its own, as people do with `capctl keys invite`, `capctl join` and `capwebd`.
    /// - Returns: Its address.
    func startGateway(_ client: RigClient) async throws -> String {
        guard let program = settings.programs.gateway else {
            throw CommandFailure(.other, "the demo was started without --web, and has no gateway")
        }
        progress.show("starting the gateway")
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
                "XDG_CONFIG_HOME=\(scratch.file("web"))", "CAPRIG_CONTEXT=\(name)", program, "--port", "0",
                "--until-eof", "--announce", "--log-level", settings.logLevel,
            ], logPath: scratch.file("capwebd.log"))
        self.gateway = gateway
        return try await gateway.announcement(GatewayAnnouncement.self, within: Self.limit, time: time).address
    }

    private func keysFolder(_ node: DemoPlan.Node) -> String { scratch.file("\(node.name).keys") }

    /// Waits until every camera and microphone runs and every node is synchronized.
    /// - Parameter needsHistory: Whether to wait until frames and sound reach back far enough for whole clips.
    /// - Returns: What they still lacked for whole clips after ``limit``; nil if nothing.
    /// - Throws: ``CommandFailure`` that names what is missing after ``limit``, or the daemon that has ended.
    func awaitReadiness(_ client: RigClient, needsHistory: Bool) async throws -> String? {
        let deadline = time.now() + Self.limit
        var sound = SoundReach()
        while true {
            let readiness = try await readiness(client, &sound, needsHistory)
            if readiness.isComplete { return nil }
            progress.show(readiness.topic, readiness.detail)
            try checkDaemons()
            guard time.now() < deadline else {
                if readiness.isUsable { return readiness.problem }
                throw CommandFailure(
                    .other,
                    "the rig was not ready within \(Self.limit.shortText): \(readiness.problem); logs are in "
                        + "\(scratch.path)")
            }
            try await time.sleep(for: .milliseconds(100))
        }
    }

    private func readiness(
        _ client: RigClient, _ sound: inout SoundReach, _ needsHistory: Bool
    ) async throws -> DemoReadiness {
        do throws(RigClientError) {
            let nodes = try await client.status().nodes
            let devices = try await client.devices()
            return DemoReadiness(
                of: settings.plan, nodes: nodes, devices: devices, sound: &sound, needsHistory: needsHistory)
        } catch {
            guard Self.isUnanswered(error) else { throw error }
            return .unanswered
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
