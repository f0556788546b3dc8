internal import ArgumentParser

/// `capctl devices`.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The cameras and microphones of the rig.",
        subcommands: [
            DevicesListCommand.self, DevicesShowCommand.self, DevicesSetCommand.self, DevicesForgetCommand.self,
        ], defaultSubcommand: DevicesListCommand.self)
}
