internal import ArgumentParser
internal import AuditLog
internal import RigDocuments

/// `capctl audit list`.
struct AuditListCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "list", abstract: "List the newest records of the audit log, the newest last.",
        discussion: "Listing does not verify the records; `capctl audit verify` does.")

    static let examples: [CommandExample] = [
        "capctl audit list --since 1h",
        "capctl audit list --kind trigger --limit 5",
    ]

    @OptionGroup var source: AuditSourceOptions
    @OptionGroup var output: NamelessFormatOptions

    @Option(help: "The maximum number of records.")
    var limit = 50

    @Option(help: "Only records of this kind, such as admission, trigger or refusal. Repeatable.")
    var kind: [String] = []

    @Option(help: "Only records of what the holder of this name caused.")
    var principal: String?

    @Option(
        help: """
            Only records whose time is not before this: how long ago (10m, 2d), an RFC 3339 date, or a day in UTC \
            (2026-11-21).
            """,
        transform: ShotQueryOptions.realtime)
    var since: Int64?

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let page = try await source.withReader { try await $0.list(limit: limit, filter) }
        if page.unreadable > 0 {
            console.note(
                "capctl: \(page.unreadable.counted("line")) of the audit log cannot be read; `capctl audit verify` says where\n"
            )
        }
        try output.show(AuditListReport(page: page), on: console)
        return .complete
    }

    private var filter: AuditFilter {
        AuditFilter(
            kinds: kind.isEmpty ? nil : Set(kind.map(AuditKind.init(rawValue:))), principal: principal,
            since: since.map { RFC3339.text(realtimeNanoseconds: $0).prefix(23) + "Z" })
    }
}

/// Records of an audit log, the newest last.
struct AuditListReport: Report {
    var page: AuditPage

    var document: AuditListDocument { AuditListDocument(page) }

    var emptiness: String? { page.records.isEmpty ? "no record matches these options" : nil }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("RECORD", .right), .init("TIME"), .init("KIND"), .init("BY", .left, .end(6)),
            .init("SUBJECT", .left, .end(8)), .init("DETAILS", .left, .wrap(12)),
        ]
        let rows = page.records.reversed().map { record in
            let entry = record.entry
            let details = entry.details.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return [
                "\(record.sequence)", layout.time(record.time), entry.kind.rawValue,
                entry.principal.name.isEmpty ? "-" : entry.principal.name, entry.subject,
                details.joined(separator: ", "),
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }
}
