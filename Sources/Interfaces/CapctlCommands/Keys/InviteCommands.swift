internal import ArgumentParser
internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// `capctl node`.
struct NodeCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "node", abstract: "Invite machines with cameras into the rig.",
        subcommands: [NodeInviteCommand.self])

    static let examples: [CommandExample] = [
        .shown("capctl node invite left-arm", needs: "a rig with keys")
    ]
}

/// `capctl node invite`.
struct NodeInviteCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "invite", abstract: "Print codes with which machines join the rig as nodes.",
        discussion: """
            Each code is valid for an hour, for one machine, and for its name. It is a secret until it is used. An earlier code \
            for the same name ends.
            """)

    static let examples: [CommandExample] = [
        "capctl node invite left-arm",
        "capctl node invite left-arm right-arm",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The names of the nodes, a code for each.", transform: { try NodeName($0) })
    var names: [NodeName]

    func validate() throws {
        guard Set(names).count == names.count else { throw ValidationError("a name is given twice") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        var invitations: [InvitationReport] = []
        var failure: (any Error)?
        do {
            try await rig.withClient { client in
                for name in names {
                    let (invitation, code) = try await client.invite(KeyName(name.rawValue), .node)
                    invitations.append(InvitationReport(invitation: invitation, code: code))
                }
            }
        } catch {
            failure = error
        }
        // Codes that were made have ended earlier ones, so they are shown whatever became of the others.
        if let failure, invitations.isEmpty { throw failure }
        try show(invitations, console)
        guard let failure else { return .complete }
        console.note("capctl: \(names[invitations.count]): \(failure)\n")
        return .partial
    }

    private func show(_ invitations: [InvitationReport], _ console: Console) throws {
        if names.count == 1, let only = invitations.first {
            try output.show(only, on: console)
        } else {
            try output.show(InvitationsReport(invitations: invitations), on: console)
        }
    }
}

/// `capctl keys invite`.
struct KeysInviteCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "invite", abstract: "Print a code with which a person's machine joins the rig.",
        discussion: """
            The code is valid for an hour, for one machine, and for this name and role. It is a secret until it is used. For a \
            machine with cameras use `capctl node invite`.
            """)

    static let examples: [CommandExample] = [
        "capctl keys invite anna",
        "capctl keys invite studio-2 --role viewer",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "What the machine may do: viewer, operator, dashboard or admin.", transform: Role.onCommandLine)
    var role = Role.operator

    @Argument(help: "The name of the key, such as anna-laptop.", transform: { try KeyName($0) })
    var name: KeyName

    func perform(_ console: Console) async throws -> CommandStatus {
        try await invite(name, role, rig, output, console)
    }
}

extension CapctlCommand {
    fileprivate func invite(
        _ name: KeyName, _ role: Role, _ rig: RigOptions, _ output: FormatOptions, _ console: Console
    ) async throws -> CommandStatus {
        let (invitation, code) = try await rig.withClient { try await $0.invite(name, role) }
        try output.show(InvitationReport(invitation: invitation, code: code), on: console)
        return .complete
    }
}

/// Several new invitations.
struct InvitationsReport: Report {
    struct Document: Encodable {
        var invitations: [InvitationDocument]
    }

    var invitations: [InvitationReport]

    var document: Document { Document(invitations: invitations.map(\.document)) }

    var names: [String]? { invitations.map(\.code.text) }

    func table(_ layout: TextLayout) -> String {
        invitations.map { "machine '\($0.invitation.name)': \($0.table(layout))" }.joined()
    }
}

/// A new invitation.
struct InvitationReport: Report {
    var invitation: KeyInvitation
    var code: JoinCode

    var document: InvitationDocument { InvitationDocument(invitation, code: code) }

    var names: [String]? { [code.text] }

    func table(_ layout: TextLayout) -> String {
        "run this on the machine before \(layout.time(invitation.expiresAt.description)):\n\n  \(document.command)\n\n"
    }
}

extension Role {
    /// Reads the role of a person's machine.
    static func onCommandLine(_ text: String) throws -> Role {
        guard let role = Role(rawValue: text) else {
            throw ValidationError("one of \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return role
    }
}
