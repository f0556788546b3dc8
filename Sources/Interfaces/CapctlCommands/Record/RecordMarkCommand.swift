internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl record mark`.
struct RecordMarkCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Name this instant of a take.",
        discussion: "The instant is that at which the coordinator gets the request. Returns when the mark is durable.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The take's id; may be left out where only one records.", transform: ShotID.argument)
    var take: ShotID?

    @Argument(help: "What the instant is called, 1 to 256 bytes.")
    var text: String

    func validate() throws {
        guard (1...TakeMark.longestText).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw ValidationError("A mark has 1 to \(TakeMark.longestText) bytes, without control characters.") }
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

    /// `capctl record mark --format json`.
    struct Document: Encodable {
        var offsetNanoseconds: Int64
        var take: ShotID
        var text: String
    }

    var document: Document {
        Document(offsetNanoseconds: mark.offset.nanoseconds, take: mark.take, text: mark.mark.text)
    }

    var table: String {
        "take \(mark.take): \"\(Table.printable(mark.mark.text))\" at \(mark.offset.signedText)\n"
    }
}
