internal import ArgumentParser
internal import CaptureModel
internal import Doctor
internal import PosixSupport
internal import RigClient
internal import RigConfiguration

/// `capctl doctor`.
struct DoctorCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "doctor", abstract: "Check a rig from here, and name what fixes each thing that is found.",
        discussion: """
            Asks the coordinator, and connects to the live pictures of each node. `capagentd doctor` and `capcoordd doctor` check a \
            machine from inside. Exit status: 0 nothing found, 3 warnings, 4 problems.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl doctor", needs: "a rig that nothing is found of"),
        .shown("capctl doctor -o json", needs: "a rig that nothing is found of"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = DoctorReport(examination: try await examine())
        try output.show(report, on: console)
        return report.status
    }

    private func examine() async throws -> Examination {
        let target = try rig.target()
        do {
            let facts = try await target.withClient { client in
                RigFacts(
                    status: try await client.status(), devices: try await client.devices(),
                    isLocal: TCPEndpoint(target.endpoint).map(ReachProbe.isHere) ?? false)
            }
            return await Self.reaching(facts).examined()
        } catch let error as RigClientError {
            var examination = Examination()
            examination.note(.found(await Self.finding(error, at: target.endpoint)))
            return examination
        }
    }

    /// With what answers at the live pictures of the nodes that offer them to this machine.
    private static func reaching(_ facts: RigFacts) async -> RigFacts {
        var facts = facts
        let offered = facts.status.nodes.compactMap { node -> (NodeName, TCPEndpoint)? in
            guard let frames = node.frames, facts.isLocal || !ListenHost.isLoopback(frames.host) else { return nil }
            return (node.node, TCPEndpoint(host: frames.host, port: frames.port))
        }
        let answers = await ReachProbe.answers(of: offered.map(\.1))
        for (node, answer) in zip(offered.map(\.0), answers) { facts.frames[node] = answer }
        return facts
    }

    private static func finding(_ error: RigClientError, at endpoint: String) async -> Finding {
        let subject = "coordinator \(endpoint)"
        switch error.code {
        case .keyRefused:
            return Finding(
                .keyRefused, .problem, subject, error.cause,
                fix: "an admin: capctl keys invite NAME; here: capctl join CODE")
        case .wrongCoordinator:
            return Finding(
                .wrongCoordinator, .problem, subject, error.cause,
                fix: "capctl context list; join again: capctl join CODE")
        case .noCoordinator, .lostCoordinator: return await unreached(error, at: endpoint)
        default:
            return Finding(
                .coordinatorSilent, .problem, subject, error.cause,
                fix: "compare the versions: capctl --version, and on its machine capcoordd --version")
        }
    }

    private static func unreached(_ error: RigClientError, at endpoint: String) async -> Finding {
        let subject = "coordinator \(endpoint)"
        guard let tcp = TCPEndpoint(endpoint) else {
            return Finding(.coordinatorClosed, .problem, subject, error.cause, fix: "capctl context list")
        }
        switch await ReachProbe.answers(of: [tcp]).first {
        case .refused:
            return Finding(
                .coordinatorClosed, .problem, subject, "no program listens on TCP port \(tcp.port) there",
                fix: "on \(tcp.host): systemctl enable --now capcoordd; then capcoordd doctor")
        case .open:
            return Finding(
                .coordinatorSilent, .problem, subject, "a program accepts connections and does not answer",
                fix: "on \(tcp.host): journalctl -u capcoordd -n 50; then systemctl restart capcoordd")
        default:
            return Finding(
                .coordinatorSilent, .problem, subject,
                "nothing answers: the machine is off, or a firewall drops TCP port \(tcp.port)",
                fix: "ping -c 3 \(tcp.host); on \(tcp.host): nft add rule inet filter input tcp dport 7710-7721 accept")
        }
    }
}

/// What `capctl doctor` prints.
struct DoctorReport: Report {
    var examination: Examination

    var document: ExaminationDocument { ExaminationDocument(examination) }
    /// What findings are about.
    var names: [String]? { examination.findings.map(\.subject) }
    var status: CommandStatus { CommandStatus(rawValue: examination.exitStatus) ?? .other }

    func table(_ layout: TextLayout) -> String { examination.text }
}
