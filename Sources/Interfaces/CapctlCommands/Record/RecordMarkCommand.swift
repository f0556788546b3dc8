internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl record mark`.
struct RecordMarkCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Mark this instant of a take with a name.",
        discussion:
            "The mark has the instant at which the coordinator receives the request. The command returns when the mark is durable."
    )

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The take's id; optional if only one take records.", completion: .takes, transform: ShotID.argument)
    var take: ShotID?

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
        let request = MarkTakeRequest(take: take, mark: .random(in: 1...UInt64.max), text: text)
        let mark = try await rig.withClient { client in try await client.mark(request) }
        console.write(try MarkReport(mark: mark).rendered(as: output.format))
        return .complete
    }
}

/// A mark that was set.
struct MarkReport: Report {
    var mark: SetMark

    var document: MarkDocument { MarkDocument(mark) }

    var table: String {
        "take \(mark.take): \"\(Table.printable(mark.mark.text))\" at \(mark.offset.signedText)\n"
    }
}
