internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl shots list`.
struct ShotsListCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List shots, newest first.",
        discussion: "Options narrow the list together; an option that is given several times takes any of its values.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var query: ShotQueryOptions

    @Option(help: "At most so many.")
    var limit = 50

    @Option(help: "Only shots older than this one.", transform: ShotID.argument)
    var before: ShotID?

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let query = query.query
        let list = try await source.withSource(console) { try await $0.list(query, limit: limit, before: before) }
        for damaged in list.damaged { console.note("capctl: damaged manifest: \(damaged)\n") }
        if list.moreDamaged > 0 { console.note("capctl: \(list.moreDamaged) more damaged manifests\n") }
        console.write(try ShotListReport(list: list).rendered(as: output.format))
        return .complete
    }
}

extension ShotID {
    /// Takes an id from the command line.
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

    /// `capctl shots list --format json`.
    struct Document: Encodable {
        var damaged: [String]
        var moreDamaged: Int
        var shots: [Item]

        struct Item: Encodable {
            var done: Int
            var expected: Int
            var folder: String
            var id: ShotID
            var status: Shot.Status
            var time: String
            var title: String
        }
    }

    var document: Document {
        Document(
            damaged: list.damaged, moreDamaged: list.moreDamaged,
            shots: list.shots.map { shot in
                .init(
                    done: shot.done, expected: shot.expected, folder: shot.folder, id: shot.id, status: shot.status,
                    time: RFC3339.text(realtimeNanoseconds: shot.realtimeNanoseconds), title: shot.title)
            })
    }

    var table: String {
        let columns: [Table.Column] = [
            .init("SHOT"), .init("TIME"), .init("STATUS"), .init("STILLS", .right), .init("FOLDER"), .init("TITLE"),
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
