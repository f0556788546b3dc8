internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl shots list`.
struct ShotsListCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "list", abstract: "List shots, newest first.",
        discussion: "The list contains what matches all options; a repeated option matches any of its values.")

    static let examples: [CommandExample] = [
        "capctl shots list --since 10m",
        "capctl shots list --device node1/cam1 --status complete -o wide",
        .shown("capctl shots list --watch", needs: "Ctrl-C to end"),
    ]

    @OptionGroup var options: ShotListOptions
    var output: FormatOptions { options.output }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await options.show(takes: false, on: console) { ShotListReport(list: $0, isWhole: $1) }
        return .complete
    }
}

extension ShotID {
    /// Parses an id on the command line.
    static func argument(_ text: String) throws -> ShotID {
        guard let id = ShotID(text) else {
            throw ValidationError("a shot's id is a UUIDv7, such as 019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50")
        }
        return id
    }
}

/// Shots, newest first.
struct ShotListReport: Report {
    var list: ShotList
    /// Whether no option has restricted the list.
    var isWhole = true

    var document: ShotListDocument { ShotListDocument(list) }

    var names: [String]? { list.shots.map(\.id.description) }
    var emptiness: String? {
        guard list.shots.isEmpty else { return nil }
        return isWhole ? "no shots yet; `capctl trigger --all` takes one" : "no shot matches these options"
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("SHOT", .left, .id), .init("TIME"), .init("STATUS"), .init("CAMERAS", .right),
            .init("FOLDER", .left, .start(24), dropped: 1), .init("TITLE", .left, .end(10)),
        ]
        let rows = list.shots.map { shot in
            [
                shot.id.description, layout.time(shot.realtimeNanoseconds), shot.status.rawValue,
                "\(shot.done)/\(shot.expected)", shot.folder, shot.title,
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }
}

/// `capctl shots`.
struct ShotsCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "shots", abstract: "Shots in the library: list, show, get, verify, title, delete.",
        subcommands: [
            ShotsListCommand.self, ShotsShowCommand.self, ShotsGetCommand.self, ShotsEditCommand.self,
            ShotsDeleteCommand.self, ShotsVerifyCommand.self, ShotsReindexCommand.self, ShotsPreviewsCommand.self,
        ],
        defaultSubcommand: ShotsListCommand.self)

    static let examples: [CommandExample] = [
        "capctl shots",
        "capctl shots show last",
    ]
}

/// `capctl shots show`.
struct ShotsShowCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "show", abstract: "Show a shot with the outcome of every camera.",
        discussion: "The exit status is the status of the shot: 0 complete, 3 partial or open, 4 failed.")

    static let examples: [CommandExample] = [
        "capctl shots show last"
    ]

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Argument(
        help: "The shot: its id, the beginning or the last six characters of it, or last.", completion: .shots,
        transform: ShotReference.argument)
    var shot: ShotReference

    func perform(_ console: Console) async throws -> CommandStatus {
        let document = try await source.withSource(console) { source in
            try await source.show(try await source.id(of: shot, last: .shots))
        }
        try output.show(ShotReport(document), on: console)
        return CommandStatus(of: document.shot)
    }
}
