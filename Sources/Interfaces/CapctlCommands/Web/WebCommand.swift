internal import ArgumentParser

/// `capctl web`.
struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Sign in to the page of a gateway (capwebd), and make tokens for scripts.",
        subcommands: [WebLoginCommand.self, WebTokenCommand.self, WebSessionsCommand.self, WebEndCommand.self])
}
