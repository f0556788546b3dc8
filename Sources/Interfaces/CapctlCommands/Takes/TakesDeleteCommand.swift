internal import ArgumentParser
internal import CaptureModel

/// `capctl takes delete`.
struct TakesDeleteCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "delete", abstract: "Permanently delete takes from the library.",
        discussion: DeletionOptions.discussion)

    static let examples: [CommandExample] = [
        .shown(
            "capctl takes delete 019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50 --only-copy", needs: "the id of a take")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var deletion: DeletionOptions

    @Argument(help: "The takes, by their whole ids.", completion: .takes, transform: ShotID.argument)
    var takes: [ShotID]

    func perform(_ console: Console) async throws -> CommandStatus {
        try await deletion.perform(on: takes, areTakes: true, rig, output, console)
    }
}
