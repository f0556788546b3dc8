internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl takes`.
struct TakesCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "takes", abstract: "Takes in the library: list, show, title, delete.",
        subcommands: [TakesListCommand.self, TakesShowCommand.self, TakesEditCommand.self, TakesDeleteCommand.self])

    static let examples: [CommandExample] = [
        "capctl takes list",
        .after("capctl record start --all", "capctl record stop --no-title", line: "capctl takes show last"),
    ]
}

/// `capctl takes edit`.
struct TakesEditCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "edit", abstract: "Set the title and the note of a take, and mark movies as rejected.",
        discussion: "An omitted text is unchanged; an empty text removes it. Movies and manifest are unchanged.")

    static let examples: [CommandExample] = [
        .after(
            "capctl record start --all", "capctl record stop --no-title",
            line: "capctl takes edit last --title \"First take\"")
    ]

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var annotation: AnnotationOptions

    @Argument(
        help: "The take: its id, the beginning or the last six characters of it, or last.", completion: .takes,
        transform: ShotReference.argument)
    var take: ShotReference

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await source.withSource(console) { source in
            let id = try await source.id(of: take, last: .takes)
            return ShotAnnotationReport(
                shot: id, annotation: try await source.edit(id, annotation.edit), heading: "TAKE")
        }
        try output.show(report, on: console)
        return .complete
    }
}

/// `capctl takes show`.
struct TakesShowCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "show", abstract: "Show a take with the outcome of every camera's movie.",
        discussion: "The exit status is the status of the take: 0 complete, 3 partial or open, 4 failed.")

    static let examples: [CommandExample] = [
        .after("capctl record start --all", "capctl record stop --no-title", line: "capctl takes show last")
    ]

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Argument(
        help: "The take: its id, the beginning or the last six characters of it, or last.", completion: .takes,
        transform: ShotReference.argument)
    var take: ShotReference

    func perform(_ console: Console) async throws -> CommandStatus {
        let document = try await source.withSource(console) { source in
            try await source.show(try await source.id(of: take, last: .takes))
        }
        guard document.shot.take != nil else {
            let id = document.shot.id
            throw CommandFailure(.failed, "\(id) is a shot; `capctl shots show \(id)` shows it")
        }
        try output.show(TakeReport(document), on: console)
        return CommandStatus(of: document.shot)
    }
}
