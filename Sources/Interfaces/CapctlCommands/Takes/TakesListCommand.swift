internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl takes list`.
struct TakesListCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List takes, newest first.",
        discussion: "The list contains what matches all options; a repeated option matches any of its values.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var query: ShotQueryOptions
    @OptionGroup var page: PageOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        var query = query.query
        query.isOfTakes = true
        let list = try await page.list(query, from: source, console)
        console.write(try TakeListReport(list: list).rendered(as: output.format))
        return .complete
    }
}

/// Takes, newest first.
struct TakeListReport: Report {
    var list: ShotList

    var document: TakeListDocument { TakeListDocument(list) }

    var table: String {
        let columns: [Table.Column] = [
            .init("TAKE"), .init("TIME"), .init("STATUS"), .init("CAMERAS", .right), .init("FOLDER"), .init("TITLE"),
        ]
        let rows = list.shots.map { take in
            [
                take.id.description, RFC3339.text(realtimeNanoseconds: take.realtimeNanoseconds).dropLast(7) + "Z",
                take.status.rawValue, "\(take.done)/\(take.expected)", take.folder, take.title,
            ]
        }
        return Table(columns: columns, rows: rows).rendered()
    }
}
