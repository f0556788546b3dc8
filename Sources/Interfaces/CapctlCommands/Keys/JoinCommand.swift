internal import ArgumentParser
internal import CaptureModel
internal import ClientContexts
internal import Foundation
internal import KeyFiles
internal import RigJoining
internal import RigSecurity
internal import SystemClock
internal import ZeroMQ

/// `capctl join`.
struct JoinCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "join", abstract: "Join a rig with a code of an administrator, or by approval.",
        discussion: """
            `capctl keys invite NAME` prints the code. The command makes a key for this person and rig, has the coordinator admit \
            it, and adds a context, so that further commands find the rig. It may be repeated.

            Where no code can be pasted: capctl join --request HOST --coordinator-key KEY --role ROLE
            The command shows this machine's fingerprint, and waits until an administrator approves it.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl join CODE", needs: "a code"),
        .shown("capctl join --request coordinator.local --coordinator-key KEY", needs: "a coordinator's key"),
    ]

    @Option(
        help: "The name of the context (default: the name of the rig; with --request, the coordinator's host).",
        transform: { try ContextName($0) })
    var context: ContextName?

    @Option(
        help: "With --request, what this machine may do: viewer, operator, dashboard or admin (default: operator).",
        transform: Role.onCommandLine)
    var role: Role?

    @OptionGroup var options: JoinOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let way = try await readWay()
        let name = try context ?? Self.contextName(way)
        let file = try ContextFile(environment: ProcessInfo.processInfo.environment)
        try check(try file.load()[name], way)
        let keyFile = try file.keyFile(of: name)
        let joined = try await admission(way, keyFile, console)
        let added = try ClientContext(
            name: name, coordinator: joined.client, coordinatorKey: joined.coordinator, keyFile: keyFile.path)
        try file.update { list throws(ContextError) in try list.put(added) }
        console.note(
            "capctl: joined rig '\(joined.rig)' as \(joined.role.rawValue) '\(joined.name)'; its context is '\(name)'\n"
        )
        return .complete
    }

    private func readWay() async throws -> JoinOptions.Way {
        let way: JoinOptions.Way
        do {
            way = try await options.way()
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
        switch way {
        case .code(let code) where code.role == .node:
            throw CommandFailure(
                .usage,
                "this code is for the node '\(code.name)'; join with it on the machine with the cameras: capagentd join CODE"
            )
        case .code where role != nil: throw CommandFailure(.usage, "--role needs --request; a code has its role")
        case .approval where role == .node:
            throw CommandFailure(
                .usage, "a node joins on the machine with the cameras: capagentd join --request HOST")
        case .code, .approval: return way
        }
    }

    private static func contextName(_ way: JoinOptions.Way) throws -> ContextName {
        switch way {
        case .code(let code): return try ContextName(code.rig.rawValue)
        case .approval(let coordinator):
            do throws(ContextError) {
                return try ContextName("\(coordinator.join.host)")
            } catch {
                throw CommandFailure(.usage, "name the context of this rig: --context NAME")
            }
        }
    }

    /// Checks that a context of this name is of the same rig.
    private func check(_ existing: ClientContext?, _ way: JoinOptions.Way) throws {
        let key =
            switch way {
            case .code(let code): code.coordinator
            case .approval(let coordinator): coordinator.key
            }
        guard let existing, existing.coordinatorKey.bytes != key.bytes else { return }
        throw CommandFailure(
            .failed,
            "context '\(existing.name)' is of another rig, whose coordinator is at \(existing.coordinator), or of this one "
                + "before the coordinator's key was replaced; give this one another name: --context NAME")
    }

    private func admission(_ way: JoinOptions.Way, _ keyFile: KeyFile, _ console: Console) async throws -> JoinedRig {
        let join = try RigJoin(time: SystemTimeSource())
        switch way {
        case .code(let code): return try await join.join(with: code, keyFile: keyFile)
        case .approval(let coordinator):
            let (name, role, patience) = (try wantedName(), role ?? .operator, options.patience)
            return try await StopSignals.untilStopped(
                "no longer waiting; run the command again to ask again"
            ) {
                try await join.join(
                    approvedBy: coordinator, as: name, role, keyFile: keyFile, within: patience
                ) { key in console.note(ApprovalText.waiting(for: key, at: coordinator) + "\n") }
            }
        }
    }

    /// The name to ask for: that of the account and the machine, unless another is given.
    private func wantedName() throws -> KeyName {
        let process = ProcessInfo.processInfo
        let machine = "\(process.userName)-\(process.hostName.prefix { $0 != "." })"
        guard let name = options.name ?? KeyName(suggestedBy: machine) else {
            throw CommandFailure(.usage, "name the key: --name NAME")
        }
        return name
    }
}
