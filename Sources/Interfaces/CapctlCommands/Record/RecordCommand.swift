internal import ArgumentParser

/// `capctl record`.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record movies with all the cameras meant, from one instant to another.",
        subcommands: [
            RecordStartCommand.self, RecordStopCommand.self, RecordStatusCommand.self, RecordMarkCommand.self,
        ])
}
