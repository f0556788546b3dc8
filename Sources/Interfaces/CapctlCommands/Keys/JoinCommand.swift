internal import ArgumentParser
internal import CaptureModel
internal import ClientContexts
internal import Foundation
internal import KeyFiles
internal import RigClient
internal import RigJoining
internal import RigSecurity
internal import SystemClock
internal import ZeroMQ

/// `capctl join`.
struct JoinCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a rig with a code of an administrator.",
        discussion: """
            `capctl keys invite NAME` prints the code. The command makes a key for this person and rig, has the coordinator admit \
            it, and adds a context, so that further commands find the rig. It may be repeated.
            """)

    @Option(help: "The name of the context (default: the name of the rig).", transform: { try ContextName($0) })
    var context: ContextName?

    @Argument(help: "The code, as the coordinator printed it.")
    var code: String

    func perform(_ console: Console) async throws -> CommandStatus {
        let code: JoinCode
        do {
            code = try JoinCode(self.code)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
        guard code.role != .node else {
            throw CommandFailure(
                .usage,
                "this code is for the node '\(code.name)'; join with it on the machine with the cameras: capagentd join CODE"
            )
        }
        let name = try context ?? ContextName(code.rig.rawValue)
        let file = try ContextFile(environment: ProcessInfo.processInfo.environment)
        let existing = try file.load()[name]
        if let existing, existing.coordinatorKey.bytes != code.coordinator.bytes {
            throw CommandFailure(
                .failed,
                "context '\(name)' is of another rig, whose coordinator is at \(existing.coordinator); give this one another "
                    + "name: capctl join --context NAME CODE")
        }
        let keyFile = try file.keyFile(of: name)
        let join = try RigJoin(time: SystemTimeSource())
        let joined: JoinedRig
        do {
            joined = try await join.join(with: code, keyFile: keyFile)
        } catch let error as JoinError {
            throw CommandFailure(error.code == .noCoordinator ? .noCoordinator : .failed, "\(error)")
        }
        let added = try ClientContext(
            name: name, coordinator: joined.client, coordinatorKey: joined.coordinator, keyFile: keyFile.path)
        try file.update { list throws(ContextError) in try list.put(added) }
        console.note(
            "capctl: joined rig '\(joined.rig)' as \(joined.role.rawValue) '\(joined.name)'; its context is '\(name)'\n"
        )
        return .complete
    }
}
