internal import ArgumentParser

/// `capctl shots`.
struct ShotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shots", abstract: "The shots in the library.",
        subcommands: [ShotsListCommand.self, ShotsShowCommand.self, ShotsVerifyCommand.self],
        defaultSubcommand: ShotsListCommand.self)
}
