internal import ArgumentParser
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// `capctl web sessions`.
struct WebSessionsCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "sessions",
        abstract: "List links, browsers and tokens: your own; all of them for an administrator.")

    static let examples: [CommandExample] = [
        "capctl web sessions"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let sessions = try await rig.withClient { try await $0.sessions() }
        try output.show(SessionsReport(sessions: sessions), on: console)
        return .complete
    }
}

/// The sessions of a rig.
struct SessionsReport: Report {
    var sessions: [RigSession]

    var document: [String: [WebSessionDocument]] { ["sessions": sessions.map(WebSessionDocument.init)] }

    var names: [String]? { sessions.map(\.id.description) }
    var emptiness: String? {
        sessions.isEmpty ? "no links, browsers or tokens; `capctl web login` makes a link" : nil
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("ID"), .init("KIND"), .init("MAKER", .left, .end(8)), .init("LABEL", .left, .end(8)),
            .init("EXPIRES"), .init("MAY", .left, .wrap(10), dropped: 1),
        ]
        let rows = sessions.map { session in
            [
                "\(session.id)", session.kind.rawValue, session.maker.map { "\($0.name)" } ?? "-", session.label,
                layout.time("\(session.expires)"),
                Permission.allCases.filter(session.permissions.contains).map(\.rawValue).joined(separator: " "),
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }
}

/// `capctl web end`.
struct WebEndCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "end", abstract: "End a session: the browser is signed out, the token is refused.")

    static let examples: [CommandExample] = [
        .shown("capctl web end 4f2a9c0d7e11", needs: "a session's id")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions
    @Argument(help: "Its id, as `capctl web sessions` shows it.", transform: SessionID.onCommandLine)
    var id: SessionID

    func perform(_ console: Console) async throws -> CommandStatus {
        let ended = try await rig.withClient { try await $0.endSession(id) }
        try output.show(EndedSessionReport(session: ended), on: console)
        return .complete
    }
}

/// A session that was ended.
struct EndedSessionReport: Report {
    var session: RigSession

    var document: [String: WebSessionDocument] { ["session": WebSessionDocument(session)] }
    func table(_ layout: TextLayout) -> String {
        "ended \(session.kind.rawValue) '\(Table.printable(session.label))'\n"
    }
}

extension SessionID {
    fileprivate static func onCommandLine(_ text: String) throws -> SessionID {
        guard let id = SessionID(text) else {
            throw ValidationError("'\(text)' is not the id of a session; it has 12 hexadecimal digits")
        }
        return id
    }
}
