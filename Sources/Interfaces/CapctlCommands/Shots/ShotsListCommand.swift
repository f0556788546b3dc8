internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl shots list`.
struct ShotsListCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List shots, newest first.",
        discussion: "The list contains what matches all options; a repeated option matches any of its values.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var query: ShotQueryOptions
    @OptionGroup var page: PageOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let list = try await page.list(query.query, from: source, console)
        console.write(try ShotListReport(list: list).rendered(as: output.format))
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

    var document: ShotListDocument { ShotListDocument(list) }

    var table: String {
        let columns: [Table.Column] = [
            .init("SHOT"), .init("TIME"), .init("STATUS"), .init("CAMERAS", .right), .init("FOLDER"), .init("TITLE"),
        ]
        let rows = list.shots.map { shot in
            [
                shot.id.description, RFC3339.text(realtimeNanoseconds: shot.realtimeNanoseconds).dropLast(7) + "Z",
                shot.status.rawValue, "\(shot.done)/\(shot.expected)", shot.folder, shot.title,
            ]
        }
        return Table(columns: columns, rows: rows).rendered()
    }
}

/// `capctl shots`.
struct ShotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shots", abstract: "Shots in the library: list, show, get, verify, title.",
        subcommands: [
            ShotsListCommand.self, ShotsShowCommand.self, ShotsGetCommand.self, ShotsEditCommand.self,
            ShotsVerifyCommand.self, ShotsReindexCommand.self, ShotsPreviewsCommand.self,
        ],
        defaultSubcommand: ShotsListCommand.self)
}

/// `capctl shots show`.
struct ShotsShowCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a shot with the outcome of every camera.",
        discussion: "The exit status is the status of the shot: 0 complete, 3 partial or open, 4 failed.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The shot's id.", completion: .shots, transform: ShotID.argument)
    var shot: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let document = try await source.withSource(console) { try await $0.show(shot) }
        console.write(try ShotReport(document).rendered(as: output.format))
        return CommandStatus(of: document.shot.status)
    }
}
