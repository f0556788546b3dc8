internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl record mark`.
struct RecordMarkCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "mark", abstract: "Mark this instant of a take with a name.",
        discussion:
            "The mark has the instant at which the coordinator receives the request. The command returns when the mark is durable."
    )

    static let examples: [CommandExample] = [
        .after("capctl record start --all", line: "capctl record mark \"the ball is thrown\"")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    @Option(
        help:
            "The take: its id, the beginning or the last six characters of it, or last; optional if only one take records.",
        completion: .takes,
        transform: ShotReference.argument)
    var take: ShotReference?

    @Argument(help: "The name of the instant, 1 to 256 bytes.")
    var text: String

    func validate() throws {
        guard TakeMark.isValid(text: text) else {
            throw ValidationError(
                "The name of a mark must have 1 to \(TakeMark.longestText) bytes, and no control characters or characters that change the direction of text."
            )
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let mark = try await rig.withClient { client in
            var id: ShotID?
            if let take { id = try await client.id(of: take, last: .takes) }
            return try await client.mark(MarkTakeRequest(take: id, mark: .random(in: 1...UInt64.max), text: text))
        }
        try output.show(MarkReport(mark: mark), on: console)
        return .complete
    }
}

/// A mark that was set.
struct MarkReport: Report {
    var mark: SetMark

    var document: MarkDocument { MarkDocument(mark) }

    func table(_ layout: TextLayout) -> String {
        "take \(mark.take): \"\(Table.printable(mark.mark.text))\" at \(mark.offset.signedText)\n"
    }
}
