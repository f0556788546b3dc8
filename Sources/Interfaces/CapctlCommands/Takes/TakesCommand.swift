internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl takes`.
struct TakesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "takes", abstract: "Takes in the library: list, show, title.",
        subcommands: [TakesListCommand.self, TakesShowCommand.self, TakesEditCommand.self])
}

/// `capctl takes edit`.
struct TakesEditCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Set the title and the note of a take, and mark movies as rejected.",
        discussion: "An omitted text is unchanged; an empty text removes it. Movies and manifest are unchanged.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var annotation: AnnotationOptions

    @Argument(help: "The take's id.", completion: .takes, transform: ShotID.argument)
    var take: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let written = try await source.withSource(console) { try await $0.edit(take, annotation.edit) }
        console.write(
            try ShotAnnotationReport(shot: take, annotation: written, heading: "TAKE").rendered(as: output.format))
        return .complete
    }
}

/// `capctl takes show`.
struct TakesShowCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a take with the outcome of every camera's movie.",
        discussion: "The exit status is the status of the take: 0 complete, 3 partial or open, 4 failed.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The take's id.", completion: .takes, transform: ShotID.argument)
    var take: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let document = try await source.withSource(console) { try await $0.show(take) }
        guard document.shot.take != nil else {
            throw CommandFailure(.failed, "\(take) is a shot; `capctl shots show \(take)` shows it")
        }
        console.write(try TakeReport(document).rendered(as: output.format))
        return CommandStatus(of: document.shot.status)
    }
}
