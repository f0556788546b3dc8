internal import ArgumentParser
internal import AuditLog
internal import RigClient

/// `capctl audit`.
struct AuditCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "audit", abstract: "The audit log of the rig: list it, and verify that nobody changed it.",
        subcommands: [AuditListCommand.self, AuditVerifyCommand.self], defaultSubcommand: AuditListCommand.self)

    static let examples: [CommandExample] = [
        "capctl audit",
        "capctl audit verify",
    ]
}

/// Options of every command that reads an audit log.
struct AuditSourceOptions: ParsableArguments {
    @OptionGroup var rig: RigOptions

    @Option(help: "Read this folder of an audit log, or of a copy, instead of asking a coordinator.")
    var folder: String?

    func validate() throws {
        guard folder == nil || [rig.context, rig.admin, rig.coordinator].allSatisfy({ $0 == nil }) else {
            throw ValidationError("--folder names a log on this machine; give it without the options that name a rig.")
        }
    }

    /// Calls `body` with a reader of the log that the options name.
    func withReader<Result>(_ body: (AuditReader) async throws -> Result) async throws -> Result {
        if let folder { return try await body(try AuditReader(folder: folder)) }
        return try await rig.withClient { client in
            try await body(AuditReader(CoordinatorAudit(client: client, name: await client.endpoint)))
        }
    }
}

/// The audit log of a coordinator.
struct CoordinatorAudit: AuditSource {
    var client: RigClient
    var name: String

    func files() async throws -> [UInt64] { try await client.auditFiles() }

    func read(_ file: UInt64) async throws -> [UInt8]? { try await client.auditFile(file) }
}
