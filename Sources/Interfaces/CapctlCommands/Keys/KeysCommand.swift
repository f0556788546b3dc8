internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigSecurity
internal import SystemClock

/// `capctl keys`.
struct KeysCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "keys", abstract: "List, admit, revoke, rename and replace the keys of the rig.",
        subcommands: [
            KeysListCommand.self, KeysInviteCommand.self, KeysWithdrawCommand.self, KeysApproveCommand.self,
            KeysDeclineCommand.self, KeysRevokeCommand.self, KeysRenameCommand.self, KeysRotateCommand.self,
            KeysExportCommand.self,
        ], defaultSubcommand: KeysListCommand.self)

    static let examples: [CommandExample] = [
        "capctl keys list",
        "capctl keys invite anna",
    ]
}

/// `capctl keys list`.
struct KeysListCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "list", abstract: "List keys, open invitations, and machines that wait for approval.")

    static let examples: [CommandExample] = [
        "capctl keys list"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let list = try await client.keys()
            let known = await client.coordinatorKey
            return KeyListReport(list: list, coordinator: list.rotation?.newKey ?? known)
        }
        try output.show(report, on: console)
        return .complete
    }
}

/// `capctl keys withdraw`.
struct KeysWithdrawCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "withdraw", abstract: "End an invitation that was not used.")

    static let examples: [CommandExample] = [
        .after("capctl keys invite ben", line: "capctl keys withdraw ben")
    ]

    @OptionGroup var rig: RigOptions

    @Argument(help: "The name of the invitation.", transform: { try KeyName($0) })
    var name: KeyName

    func perform(_ console: Console) async throws -> CommandStatus {
        let invitation = try await rig.withClient { try await $0.withdrawInvitation(of: name) }
        console.hint("capctl: the invitation of \(invitation.role.rawValue) '\(invitation.name)' is withdrawn\n")
        return .complete
    }
}

/// `capctl keys approve`.
struct KeysApproveCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "approve", abstract: "Admit a machine that asks to join, by the fingerprint that it shows.")

    static let examples: [CommandExample] = [
        .shown("capctl keys approve SHA256:4mJ7c0Ww9zHn --role viewer", needs: "a machine that asks")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "What the machine may do (default: what it asks for).", transform: Role.onCommandLine)
    var role: Role?

    @Option(help: "The name of its key (default: what it asks for).", transform: { try KeyName($0) })
    var name: KeyName?

    @Argument(
        help: "At least 12 characters of the fingerprint that the machine shows.",
        transform: { try FingerprintPrefix($0) })
    var fingerprint: FingerprintPrefix

    func perform(_ console: Console) async throws -> CommandStatus {
        let admitted = try await rig.withClient { client in
            let asking = try await client.keys().requests.first { fingerprint.matches($0.key.fingerprint) }
            guard let name = name ?? asking?.name, let role = role ?? asking?.role else {
                throw CommandFailure(
                    .failed,
                    "no machine with this fingerprint asks to join; `capctl keys list` shows those that do")
            }
            return try await client.approve(fingerprint, as: name, role)
        }
        try output.show(HolderReport(holders: admitted), on: console)
        return .complete
    }
}

/// `capctl keys decline`.
struct KeysDeclineCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "decline", abstract: "Decline a machine that asks to join.")

    static let examples: [CommandExample] = [
        .shown("capctl keys decline SHA256:4mJ7c0Ww9zHn", needs: "a machine that asks")
    ]

    @OptionGroup var rig: RigOptions

    @Argument(help: "The beginning of the machine's fingerprint.", transform: { try FingerprintPrefix($0) })
    var fingerprint: FingerprintPrefix

    func perform(_ console: Console) async throws -> CommandStatus {
        let request = try await rig.withClient { try await $0.decline(fingerprint) }
        console.hint("capctl: the request of '\(request.name)' (\(request.key)) is declined\n")
        return .complete
    }
}

/// `capctl keys rename`.
struct KeysRenameCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "rename", abstract: "Give the holder of a key another name.",
        discussion: "The name of a node's key is the node's name: rename the node in its configuration too.")

    static let examples: [CommandExample] = [
        .shown("capctl keys rename studio-1 studio-2", needs: "a second key")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The name.", transform: { try KeyName($0) })
    var name: KeyName

    @Argument(help: "The new name.", transform: { try KeyName($0) })
    var newName: KeyName

    func perform(_ console: Console) async throws -> CommandStatus {
        let renamed = try await rig.withClient { try await $0.rename(name, to: newName) }
        try output.show(HolderReport(holders: renamed), on: console)
        return .complete
    }
}

/// `capctl keys revoke`.
struct KeysRevokeCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "revoke", abstract: "End a key for ever, and with it its connections.",
        discussion: """
            The coordinator ends the key's connections at once. Then the command waits for up to two seconds until every node \
            has confirmed that the key can no longer watch there, and lists those that have not (status 3): they will, as \
            soon as they are connected.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl keys revoke anna", needs: "a second key")
    ]

    /// How long to wait for the nodes.
    static let patience = Duration.seconds(2)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The name of the key's holder, or the beginning of the key's fingerprint.")
    var key: String

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let active = Set(try await client.keys().keys.filter { $0.revocation == nil }.map(\.holder.key))
            // The coordinator ends the connections of clients too, possibly before the answer is here. A repeated request
            // finds nothing to revoke, so the lists before and after it tell what was revoked.
            _ = try await client.revoke(key)
            let list = try await client.keys()
            let revoked = list.keys.filter { $0.revocation != nil && active.contains($0.holder.key) }.map(\.holder)
            return RevocationReport(
                revoked: revoked, unconfirmed: try await unconfirmed(client, revision: list.revision))
        }
        try output.show(report, on: console)
        return report.unconfirmed.isEmpty ? .complete : .partial
    }

    /// Returns the nodes that may still admit the key to their frames.
    private func unconfirmed(_ client: RigClient, revision: UInt64) async throws -> [NodeName] {
        let time = SystemTimeSource()
        let deadline = time.now() + Self.patience
        while true {
            let nodes = try await client.status().nodes
            let missing = nodes.filter { node in
                guard node.isConnected else { return true }
                return node.frames.map { $0.viewersRevision < revision } ?? false
            }
            // A node that is away confirms when it comes back.
            if missing.allSatisfy({ !$0.isConnected }) || time.now() >= deadline { return missing.map(\.node) }
            try await time.sleep(for: .milliseconds(100))
        }
    }
}
