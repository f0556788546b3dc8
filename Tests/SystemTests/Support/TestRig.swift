import CaptureModel
import CaptureTestSupport
import Foundation
import Synchronization
import Testing

/// A coordinator and agents as processes on loopback, which a test may kill, stop and start again.
final class TestRig: Sendable {
    let folder: TemporaryFolder
    let capctl: Capctl
    let library: String
    private let plans: [NodePlan]
    private let basePort: UInt16
    /// The path of the coordinator's configuration.
    let configuration: String
    private let faults: [String]
    private let agentFaults: [String]
    private let running = Mutex<[String: RunningProgram]>([:])

    /// A bound for waiting for what has to happen, such as that a daemon is ready, or ends: no verdict on how quickly it does.
    static let patience = Duration.seconds(120)
    /// How long a daemon may take to end. A quick run passes no verdict on that.
    private static let endLimit = TestExtent.isQuick ? patience : .seconds(20)

    /// Between two looks at something that tells of no change: each look may be a process, which takes the processor from those
    /// that are looked at.
    static func pause() async throws {
        try await Task.sleep(for: .milliseconds(50))
    }

    /// - Parameters:
    ///   - library: The library's folder; in the rig's folder otherwise.
    ///   - rate: How quickly files are collected.
    ///   - trigger: YAML of how the coordinator treats triggers, such as `{ timeout: 60s }`.
    ///   - faults: What goes wrong in the coordinator, as its option takes it.
    ///   - agentFaults: What goes wrong in each agent.
    init(
        _ plans: [NodePlan], library: String? = nil, rate: String = "unlimited", trigger: String = "{}",
        faults: [String] = [], agentFaults: [String] = []
    ) throws {
        self.plans = plans
        self.faults = faults
        self.agentFaults = agentFaults
        folder = try TemporaryFolder()
        self.library = library ?? folder.path + "/library"
        basePort = try FreePorts.base()
        let yaml = "collect: { rate: \(rate) }\ntrigger: \(trigger)\n"
        configuration = try folder.write(Array(yaml.utf8), as: "coordinator.yaml")
        capctl = Capctl(folder: folder.path, admin: folder.path + "/admin")
    }

    /// Starts everything and waits until every node has joined, is synchronized, and has this many cameras running.
    static func started(
        _ plans: [NodePlan], library: String? = nil, rate: String = "unlimited", trigger: String = "{}",
        faults: [String] = [], agentFaults: [String] = []
    ) async throws -> TestRig {
        let rig = try TestRig(
            plans, library: library, rate: rate, trigger: trigger, faults: faults, agentFaults: agentFaults)
        try await rig.startCoordinator()
        for plan in plans { try await rig.startAgent(plan.name) }
        try await rig.awaitReadiness()
        return rig
    }

    var control: String { "tcp://127.0.0.1:\(basePort)" }
    var client: String { "tcp://127.0.0.1:\(basePort + 3)" }
    var coordinator: RunningProgram { get throws { try program("coordinator") } }

    func agent(_ node: String) throws -> RunningProgram {
        try program(node)
    }

    func spool(_ node: String) -> String {
        plans.first { $0.name == node }?.spool ?? folder.path + "/" + node
    }

    /// Starts the coordinator on the rig's ports and library, and waits until it is ready.
    /// - Parameter isFaulty: Whether it has the rig's faults.
    func startCoordinator(isFaulty: Bool = true) async throws {
        let program = try launch(
            "coordinator", "capcoordd",
            ["--config", configuration, "--library", library, "--base-port", "\(basePort)"]
                + (isFaulty ? faults : []).flatMap { ["--fault", $0] })
        _ = try await program.nextLine(within: Self.patience) { $0.contains(#""ready":true"#) }
        // A test may take the library away.
        guard !FileManager.default.fileExists(atPath: folder.path + "/admin") else { return }
        try FileManager.default.copyItem(atPath: library + "/.caprig/admin", toPath: folder.path + "/admin")
    }

    /// Starts a node's agent on the node's spool, and waits until its cameras have settled.
    /// - Parameters:
    ///   - plan: Instead of the one that the rig was made with.
    ///   - environment: Instead of that of the node's plan.
    ///   - isFaulty: Whether it has the rig's faults.
    func startAgent(
        _ node: String, as plan: NodePlan? = nil, environment: [String: String]? = nil, isFaulty: Bool = true
    ) async throws {
        guard let plan = plan ?? plans.first(where: { $0.name == node }) else {
            throw SystemTestError("no node \(node)")
        }
        let yaml = plan.yaml(spool: spool(node), coordinator: control)
        let file = try folder.write(Array(yaml.utf8), as: "\(node).yaml")
        if !FileManager.default.fileExists(atPath: spool(node) + "/keys/coordinator.key") { try await join(node) }
        let program = try launch(
            node, "capagentd", ["--config", file] + (isFaulty ? agentFaults : []).flatMap { ["--fault", $0] },
            environment: environment ?? plan.environment)
        _ = try await program.nextLine(within: Self.patience) { $0.contains(#""ready":true"#) }
    }

    /// Starts a node's agent whether the node has joined or not, and goes on; the rig does not end it.
    /// - Parameter coordinator: The one of the node's configuration; the rig's otherwise.
    func startAgentAlone(_ node: String, coordinator: String? = nil) throws -> RunningProgram {
        let file = try configure(node, coordinator: coordinator)
        return try RunningProgram(
            node, program: Programs.path("capagentd"), arguments: ["--config", file, "--until-eof"],
            log: "\(folder.path)/\(node)-\(UUID().uuidString.prefix(8)).log")
    }

    /// Has a node join the rig, as people do.
    private func join(_ node: String) async throws {
        struct Invitation: Decodable {
            var code: String
        }
        let invitation = try await capctl.repeating("node", "invite", node, "--format", "json").json(Invitation.self)
        let deadline = ContinuousClock.now + Self.patience
        var outcome = try await join(node, with: invitation.code)
        // A code admits the same machine again.
        while outcome.status == Capctl.noCoordinator && ContinuousClock.now < deadline {
            outcome = try await join(node, with: invitation.code)
        }
        #expect(outcome.status == 0, "\(outcome.log)")
    }

    /// Has a node join the rig with a code.
    /// - Parameter coordinator: The one of the node's configuration; the rig's otherwise.
    func join(
        _ node: String, with code: String, coordinator: String? = nil
    ) async throws -> (status: Int32, log: String) {
        let program = try startJoin(node, [code], coordinator: coordinator)
        return (try await program.exitStatus(within: Self.patience), program.log)
    }

    /// Starts `capagentd join` for a node and goes on.
    func startJoin(_ node: String, _ arguments: [String], coordinator: String? = nil) throws -> RunningProgram {
        let file = try configure(node, coordinator: coordinator)
        return try RunningProgram(
            "join \(node)", program: Programs.path("capagentd"), arguments: ["join"] + arguments + ["--config", file],
            log: "\(folder.path)/join-\(UUID().uuidString.prefix(8)).log")
    }

    /// Writes a node's configuration.
    private func configure(_ node: String, coordinator: String? = nil) throws -> String {
        let plan = plans.first { $0.name == node } ?? plans[0]
        let yaml = plan.yaml(spool: spool(node), coordinator: coordinator ?? control)
        return try folder.write(Array(yaml.utf8), as: "\(node).yaml")
    }

    /// The arguments with which a machine asks this rig for approval, as an admin tells them.
    var requestArguments: [String] {
        get async throws {
            let key = try await capctl.ask(KeysAnswer.self, "keys", "list").coordinator.key
            return ["--request", "127.0.0.1:\(basePort + 5)", "--coordinator-key", key]
        }
    }

    /// Waits until a machine asks for approval.
    func awaitRequest(of name: String) async throws -> KeysAnswer.Request {
        let answer = try await capctl.ask(KeysAnswer.self, "keys", "list", until: "'\(name)' to ask for approval") {
            $0.requests.contains { $0.name == name }
        }
        guard let request = answer.requests.first(where: { $0.name == name }) else {
            throw SystemTestError("'\(name)' does not ask")
        }
        return request
    }

    /// Waits until every node is part of the rig and synchronized, and its cameras have settled.
    /// - Parameter nodes: All otherwise.
    func awaitReadiness(_ nodes: [String]? = nil) async throws {
        let names = nodes ?? plans.map(\.name)
        _ = try await capctl.ask(StatusAnswer.self, "status", until: "\(names) to be ready") { status in
            names.allSatisfy { name in
                status.nodes.contains { $0.node == name && $0.connected && $0.clockBoundNanoseconds != nil }
            }
        }
    }

    /// Waits until the frames that every node holds reach this far back.
    func awaitRing(reaching depth: Duration) async throws {
        _ = try await capctl.ask(StatusAnswer.self, "status", until: "the rings to fill") { status in
            status.nodes.allSatisfy { .nanoseconds($0.ringDepthNanoseconds.value) >= depth }
        }
    }

    /// Kills a node's agent, or the coordinator, and waits until it is gone.
    func kill(_ name: String) async throws {
        let victim = try program(name)
        running.withLock { $0[name] = nil }
        try await victim.killNow()
    }

    /// Ends everything as a user does, and checks that all of it ends by itself.
    func end() async throws {
        let programs = running.withLock { running in
            defer { running = [:] }
            return running.sorted { $0.key > $1.key }.map(\.value)
        }
        for program in programs { program.send(SIGTERM) }
        for program in programs {
            let status = try await program.exitStatus(within: Self.endLimit)
            #expect(status == 0, "\(program.name) ended with \(status):\n\(program.log)")
        }
    }

    private func launch(
        _ name: String, _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let started = try RunningProgram(
            name, program: Programs.path(program), arguments: arguments + ["--until-eof", "--announce"],
            environment: environment,
            log: "\(folder.path)/\(name)-\(UUID().uuidString.prefix(8)).log")
        running.withLock { $0[name] = started }
        return started
    }

    private func program(_ name: String) throws -> RunningProgram {
        guard let found = running.withLock({ $0[name] }) else { throw SystemTestError("\(name) does not run") }
        return found
    }
}

/// A node of a rig under test and its virtual cameras.
struct NodePlan: Sendable {
    var name: String
    var cameras: [Camera]
    /// Where the node's spool lies; in the rig's folder otherwise.
    var spool: String?
    /// The most that the spool may hold.
    var spoolLimit = "200 MiB"
    /// YAML of how long a camera that fails is tried again, such as `{ failures: 1 }`.
    var recovery = "{}"
    /// Added to the environment of its agent.
    var environment: [String: String] = [:]
    /// YAML of its microphones.
    var microphones = "[]"

    /// A virtual camera.
    struct Camera: Sendable {
        var name: String
        /// What it writes into its pixels.
        var number: Int
        var framesPerSecond = 20
        var width = 640
        var height = 360
        /// YAML of its faults, such as `{ kind: busy }`.
        var faults: [String] = []
        /// Whether its shots may have clips, for which an answer waits a second and a half longer.
        var isLive = false
        /// Further keys of the device in YAML, such as `sceneChange: true`.
        var settings: [String] = []
        /// Further keys of the virtual camera in YAML, such as `model: Odd camera`.
        var virtual: [String] = []
        /// Another source in YAML, of a camera that is not virtual.
        var source: String?
    }

    /// Nodes `node1`, `node2`, … with cameras `cam1`, `cam2`, … each.
    static func nodes(_ nodeCount: Int, cameras cameraCount: Int, change: (inout Camera) -> Void = { _ in }) -> [Self] {
        (0..<nodeCount).map { node in
            let cameras = (0..<cameraCount).map { index in
                var camera = Camera(name: "cam\(index + 1)", number: node * cameraCount + index + 1)
                change(&camera)
                return camera
            }
            return NodePlan(name: "node\(node + 1)", cameras: cameras)
        }
    }

    /// The agent's configuration.
    func yaml(spool: String, coordinator: String) -> String {
        """
        node: \(name)
        coordinator: \(coordinator)
        spool: { folder: \(spool), limit: \(spoolLimit), reserve: 64 KiB }
        ring: { depth: 3 s, memory: 64 MiB }
        recovery: \(recovery)
        microphones: \(microphones)
        devices:

        """ + cameras.map(yaml).joined()
    }

    private func yaml(_ camera: Camera) -> String {
        camera.source.map { yaml(camera, source: $0) } ?? virtual(camera)
    }

    private func yaml(_ camera: Camera, source: String) -> String {
        """
          - name: \(camera.name)
            purpose: Camera \(camera.number) of a test
            live: \(camera.isLive)
        \(camera.settings.map { "    \($0)" }.joined(separator: "\n"))
            source: \(source)

        """
    }

    private func virtual(_ camera: Camera) -> String {
        """
          - name: \(camera.name)
            type: wide
            purpose: Camera \(camera.number) of a test
            live: \(camera.isLive)
        \(camera.settings.map { "    \($0)" }.joined(separator: "\n"))
            source:
              virtual:
                number: \(camera.number)
                width: \(camera.width)
                height: \(camera.height)
                framesPerSecond: \(camera.framesPerSecond)
                phaseMilliseconds: \(camera.number * 3)
                faults: [\(camera.faults.joined(separator: ", "))]
        \(camera.virtual.map { "        \($0)" }.joined(separator: "\n"))

        """
    }
}

extension TestRig {
    /// Triggers, and takes the answer whatever it is.
    func trigger(_ arguments: String..., expecting status: Int32) async throws -> ShotAnswer {
        let outcome = try await Capctl.outcome(of: try startTrigger(arguments))
        #expect(outcome.status == status, "\(outcome.errors)\n\(outcome.output)")
        return try outcome.json(ShotAnswer.self)
    }

    /// Starts a trigger and goes on.
    func startTrigger(_ arguments: [String]) throws -> RunningProgram {
        try capctl.start(["trigger"] + arguments + ["--format", "json"])
    }

    func shot(_ id: ShotID) async throws -> ShotAnswer {
        try await capctl.ask(ShotAnswer.self, "shots", "show", id.description)
    }

    /// The library holds what the manifest of the shot says, whole, and nothing else: no half file, none twice, no part
    /// of one.
    /// - Parameter asking: The rig's administrators if nil.
    func expectSound(_ answer: ShotAnswer, asking person: Capctl? = nil) async throws {
        let verified = try await (person ?? capctl).run(
            "shots", "verify", answer.shot.id.description, "--format", "json")
        #expect(verified.status == 0, "\(verified.output)")
        let stills = StillCheck.stills(in: answer.folder)
        #expect(stills == answer.storedPaths.sorted())
        if ExternalTool.isExpected("jpeginfo") { try await StillCheck.expectWhole(stills) }
        try await StillCheck.expectDigests(answer.files)
        let parts = try FileManager.default.contentsOfDirectory(atPath: library + "/.incoming")
        #expect(parts.isEmpty)
    }

    /// Waits until a node holds nothing that the library has.
    func awaitEmptySpool(_ node: String) async throws {
        let captures = spool(node) + "/captures"
        try await FolderWatch(captures).waitUntilEmpty(within: Self.patience)
    }
}

extension ShotID {
    static func fresh() -> ShotID {
        var generator = SystemRandomNumberGenerator()
        return ShotID(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000), using: &generator)
    }
}
