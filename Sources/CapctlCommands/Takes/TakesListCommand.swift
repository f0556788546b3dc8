internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl takes list`.
struct TakesListCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List takes, newest first.",
        discussion: "Options narrow the list together; an option that is given several times takes any of its values.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var query: ShotQueryOptions

    @Option(help: "At most so many.")
    var limit = 50

    @Option(help: "Only takes older than this one.", transform: ShotID.argument)
    var before: ShotID?

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        var query = query.query
        query.isOfTakes = true
        let list = try await source.withSource(console) { [query] in
            try await $0.list(query, limit: limit, before: before)
        }
        for damaged in list.damaged { console.note("capctl: damaged manifest: \(damaged)\n") }
        console.write(try TakeListReport(list: list).rendered(as: output.format))
        return .complete
    }
}

/// Takes, newest first.
struct TakeListReport: Report {
    var list: ShotList

    /// `capctl takes list --format json`.
    struct Document: Encodable {
        var damaged: [String]
        var takes: [ShotListReport.Document.Item]
    }

    var document: Document {
        Document(damaged: list.damaged, takes: ShotListReport(list: list).document.shots)
    }

    var table: String {
        let columns: [Table.Column] = [
            .init("TAKE"), .init("TIME"), .init("STATUS"), .init("MOVIES", .right), .init("FOLDER"), .init("TITLE"),
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
