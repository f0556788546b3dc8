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

    @OptionGroup var options: ShotListOptions
    var output: FormatOptions { options.output }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await options.show(takes: true, on: console) { TakeListReport(list: $0, isWhole: $1) }
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
