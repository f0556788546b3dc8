internal import ArgumentParser
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// `capctl web token`.
struct WebTokenCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "token", abstract: "Print a token with which a script uses the HTTP API.",
        discussion:
            "The script sends it as `Authorization: Bearer TOKEN`. It is a secret as long as it is valid; nobody can show it again."
    )

    static let examples: [CommandExample] = [
        "capctl web token --label backup --may view --may read"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var session: WebSessionOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let (issued, secret) = try await session.issue(.token, defaultValidity: .seconds(90 * 86_400), rig)
        try output.show(TokenReport(session: issued, token: secret.text), on: console)
        return .complete
    }
}

/// A new token.
struct TokenReport: Report {
    var session: RigSession
    var token: String

    struct Document: Encodable {
        var session: WebSessionDocument
        var token: String
    }

    var document: Document { Document(session: WebSessionDocument(session), token: token) }
    var names: [String]? { [token] }
    func table(_ layout: TextLayout) -> String { "\(token)\n" }
}
