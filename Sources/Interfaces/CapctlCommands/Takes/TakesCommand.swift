internal import ArgumentParser

/// `capctl takes`.
struct TakesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "takes", abstract: "Takes in the library: list, show, title.",
        subcommands: [TakesListCommand.self, TakesShowCommand.self, TakesEditCommand.self])
}
