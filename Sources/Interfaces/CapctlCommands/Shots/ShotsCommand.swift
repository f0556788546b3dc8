internal import ArgumentParser

/// `capctl shots`.
struct ShotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shots", abstract: "The shots in the library.",
        subcommands: [
            ShotsListCommand.self, ShotsShowCommand.self, ShotsEditCommand.self, ShotsVerifyCommand.self,
            ShotsReindexCommand.self, ShotsPreviewsCommand.self,
        ],
        defaultSubcommand: ShotsListCommand.self)
}
