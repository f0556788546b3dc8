internal import ArgumentParser

/// `capctl session`.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Start, stop and turn cameras, or put another one in a camera's place.",
        subcommands: [
            SessionStartCommand.self, SessionStopCommand.self, SessionSwitchCommand.self, SessionTurnCommand.self,
        ])
}
