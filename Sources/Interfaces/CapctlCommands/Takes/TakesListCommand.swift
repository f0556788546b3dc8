internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl takes list`.
struct TakesListCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "list", abstract: "List takes, newest first.",
        discussion: "The list contains what matches all options; a repeated option matches any of its values.")

    static let examples: [CommandExample] = [
        "capctl takes list --since 1h"
    ]

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var query: ShotQueryOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var following: WatchOptions

    func validate() throws {
        try following.validate(source)
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let isWhole = query.query.takesAll && page.before == nil
        var query = query.query
        query.isOfTakes = true
        guard following.watch else {
            let list = try await source.withSource(console) { [query] in try await page.list(query, from: $0, console) }
            try output.show(TakeListReport(list: list, isWhole: isWhole), on: console)
            return .complete
        }
        try await source.rig.withClient { [page, query] client in
            try await ReportWatch(output: output, console: console).run(client) {
                let list = try await page.list(query, from: CoordinatorShots(client: client), console)
                return TakeListReport(list: list, isWhole: isWhole)
            }
        }
        return .complete
    }
}

/// Takes, newest first.
struct TakeListReport: Report {
    var list: ShotList
    /// Whether no option has restricted the list.
    var isWhole = true

    var document: TakeListDocument { TakeListDocument(list) }

    var names: [String]? { list.shots.map(\.id.description) }
    var emptiness: String? {
        guard list.shots.isEmpty else { return nil }
        return isWhole ? "no takes yet; `capctl record start --all` begins one" : "no take matches these options"
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("TAKE", .left, .id), .init("TIME"), .init("STATUS"), .init("CAMERAS", .right),
            .init("FOLDER", .left, .start(24), dropped: 1), .init("TITLE", .left, .end(10)),
        ]
        let rows = list.shots.map { take in
            [
                take.id.description, layout.time(take.realtimeNanoseconds), take.status.rawValue,
                "\(take.done)/\(take.expected)", take.folder, take.title,
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }
}
