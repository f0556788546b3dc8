internal import ArgumentParser

/// `capctl web`.
struct WebCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "web", abstract: "Sign in to the page of a gateway (capwebd), and make tokens for scripts.",
        subcommands: [WebLoginCommand.self, WebTokenCommand.self, WebSessionsCommand.self, WebEndCommand.self])

    static let examples: [CommandExample] = [
        "capctl web login --at http://127.0.0.1:7780/",
        .shown("capctl web sessions", needs: "a session"),
    ]
}
