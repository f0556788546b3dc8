internal import ArgumentParser
internal import ClientContexts
internal import Foundation
internal import RigConfiguration

/// `capctl context`.
struct ContextCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "context", abstract: "List the rigs that this person has joined, and choose one.",
        subcommands: [ContextListCommand.self, ContextUseCommand.self, ContextRemoveCommand.self],
        defaultSubcommand: ContextListCommand.self)

    static let examples: [CommandExample] = [
        "capctl context list",
        .shown("capctl context use studio", needs: "a context"),
    ]
}

/// `capctl context list`.
struct ContextListCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "list", abstract: "List the rigs that this person has joined.")

    static let examples: [CommandExample] = [
        "capctl context list"
    ]

    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let list = try ContextFile(environment: ProcessInfo.processInfo.environment).load()
        try output.show(ContextReport(list: list), on: console)
        return .complete
    }
}

/// `capctl context use`.
struct ContextUseCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "use", abstract: "Choose the rig that commands are for.")

    static let examples: [CommandExample] = [
        .shown("capctl context use studio", needs: "a context")
    ]

    @Argument(help: "The name of a context.", transform: { try ContextName($0) })
    var name: ContextName

    func perform(_ console: Console) async throws -> CommandStatus {
        try ContextFile(environment: ProcessInfo.processInfo.environment).update { list throws(ContextError) in
            try list.use(name)
        }
        return .complete
    }
}

/// `capctl context remove`.
struct ContextRemoveCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rig from the list. The key file stays.")

    static let examples: [CommandExample] = [
        .shown("capctl context remove studio", needs: "a context")
    ]

    @Argument(help: "The name of a context.", transform: { try ContextName($0) })
    var name: ContextName

    func perform(_ console: Console) async throws -> CommandStatus {
        let removed = try ContextFile(environment: ProcessInfo.processInfo.environment).update {
            list throws(ContextError) in try list.remove(name)
        }
        console.note("capctl: the key stays in \(removed.keyFile)\n")
        return .complete
    }
}

/// The contexts of a person.
struct ContextReport: Report {
    var list: ContextList

    struct Document: Encodable {
        var current: String?
        var contexts: [Context]

        struct Context: Encodable {
            var name: String
            var coordinator: String
            var keyFile: String
        }
    }

    var document: Document {
        Document(
            current: list.current?.description,
            contexts: list.contexts.map {
                Document.Context(
                    name: $0.name.description, coordinator: $0.coordinator.description, keyFile: $0.keyFile)
            })
    }

    var names: [String]? { list.contexts.map(\.name.description) }
    var emptiness: String? {
        list.contexts.isEmpty ? "no rigs yet; `capctl join CODE` joins one" : nil
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CURRENT"), .init("NAME", .left, .end(10)), .init("COORDINATOR", .left, .end(16)),
            .init("KEY FILE", .left, .start(16), dropped: 1),
        ]
        let rows = list.contexts.map { context in
            [
                context.name == list.current ? "*" : "", context.name.description, context.coordinator.description,
                context.keyFile,
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }
}
