internal import ArgumentParser

/// `capctl spool`.
struct SpoolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spool", abstract: "What lies on the nodes and is not in the library.",
        subcommands: [SpoolListCommand.self, SpoolDiscardCommand.self], defaultSubcommand: SpoolListCommand.self)
}
