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
    private let configuration: String
    private let faults: [String]
    private let agentFaults: [String]
    private let running = Mutex<[String: RunningProgram]>([:])

    /// How long a daemon may take to be ready, and how long to end.
    static let patience = Duration.seconds(20)

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
        capctl = Capctl(folder: folder.path, coordinator: "tcp://127.0.0.1:\(basePort + 3)")
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
    var coordinator: RunningProgram { get throws { try program("coordinator") } }

    func agent(_ node: String) throws -> RunningProgram {
        try program(node)
    }

    func spool(_ node: String) -> String {
        plans.first { $0.name == node }?.spool ?? folder.path + "/" + node
    }

    /// Starts the coordinator on the rig's ports and library, and waits until it is ready.
    func startCoordinator() async throws {
        let program = try launch(
            "coordinator", "capcoordd",
            ["--config", configuration, "--library", library, "--base-port", "\(basePort)"]
                + faults.flatMap { ["--fault", $0] })
        _ = try await program.nextLine(within: Self.patience) { $0.contains(#""ready":true"#) }
    }

    /// Starts a node's agent on the node's spool, and waits until its cameras have settled.
    /// - Parameters:
    ///   - plan: Instead of the one that the rig was made with.
    ///   - environment: Instead of that of the node's plan.
    func startAgent(_ node: String, as plan: NodePlan? = nil, environment: [String: String]? = nil) async throws {
        guard let plan = plan ?? plans.first(where: { $0.name == node }) else {
            throw SystemTestError("no node \(node)")
        }
        let yaml = plan.yaml(spool: spool(node), coordinator: control)
        let file = try folder.write(Array(yaml.utf8), as: "\(node).yaml")
        let program = try launch(
            node, "capagentd", ["--config", file] + agentFaults.flatMap { ["--fault", $0] },
            environment: environment ?? plan.environment)
        _ = try await program.nextLine(within: Self.patience) { $0.contains(#""ready":true"#) }
    }

    /// Waits until every node is part of the rig and synchronized, and its cameras have settled.
    /// - Parameter nodes: All otherwise.
    func awaitReadiness(_ nodes: [String]? = nil) async throws {
        let names = nodes ?? plans.map(\.name)
        try await within(Self.patience, "\(names) to be ready") { [capctl] in
            while try await !Self.areReady(names, try await capctl.ask(StatusAnswer.self, "status")) {}
        }
    }

    /// Waits until the frames that every node holds reach this far back.
    func awaitRing(reaching depth: Duration) async throws {
        try await within(Self.patience, "the rings to fill") { [capctl] in
            while try await !capctl.ask(StatusAnswer.self, "status").nodes.allSatisfy({
                .nanoseconds($0.ringDepthNanoseconds) >= depth
            }) {}
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
            let status = try await program.exitStatus(within: Self.patience)
            #expect(status == 0, "\(program.name) ended with \(status):\n\(program.log)")
        }
    }

    private static func areReady(_ names: [String], _ status: StatusAnswer) async throws -> Bool {
        names.allSatisfy { name in
            status.nodes.contains { $0.node == name && $0.connected && $0.clockBoundNanoseconds != nil }
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
