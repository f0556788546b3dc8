internal import ArgumentParser
internal import CaptureModel
internal import FolderStore
internal import Previews

/// `capctl shots previews`.
struct ShotsPreviewsCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "previews", abstract: "Make the small pictures (thumbnails and previews) that a library lacks.",
        discussion: """
            Every still and every movie of a take has a thumbnail and a preview in LIBRARY/.previews. A running coordinator makes \
            those of its library by itself; this command is for a library without one. It also removes those of shots \
            that are gone. Ends with 3 where files cannot be read, of which there are none then.
            """)

    @OptionGroup var output: FormatOptions

    @Option(help: "The library's folder.")
    var library: String

    @Flag(help: "Remove all of them first; this also tries pictures again that could not be read.")
    var fromNothing = false

    func perform(_ console: Console) async throws -> CommandStatus {
        let folder = AbsolutePath.of(library)
        let result = try await PreviewRebuilding(try FolderReader(folder: folder), folder: folder).run(
            fromNothing: fromNothing)
        console.write(try PreviewsReport(result: result).rendered(as: output.format))
        return result.problems.isEmpty ? .complete : .partial
    }
}

/// What making small pictures has come to.
struct PreviewsReport: Report {
    var result: PreviewRebuilding.Result

    /// `capctl shots previews --format json`.
    struct Document: Encodable {
        var made: Int
        var problems: [Problem]

        struct Problem: Encodable {
            var device: String
            var kind: String
            var reason: String
            var shot: String
        }
    }

    var document: Document {
        Document(
            made: result.made,
            problems: result.problems.map {
                .init(
                    device: "\($0.key.capture.device)", kind: $0.key.kind.rawValue, reason: $0.reason,
                    shot: "\($0.key.capture.shot)")
            })
    }

    var table: String {
        var lines = result.problems.map { "\($0.key): \($0.reason)" }
        if result.made > 0 { lines.append("made the thumbnail and preview of \(result.made.counted("file"))") }
        if !result.problems.isEmpty {
            lines.append("\(result.problems.count.counted("file")) cannot have them, for the reasons above")
        }
        return lines.isEmpty ? "no thumbnail or preview is missing\n" : lines.joined(separator: "\n") + "\n"
    }
}
