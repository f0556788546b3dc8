internal import ArgumentParser
internal import CaptureModel
internal import Library
internal import Previews

/// `capctl shots previews`.
struct ShotsPreviewsCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "previews", abstract: "Make the thumbnails and previews that a library lacks.",
        discussion: """
            For a library that no coordinator works in: one that does makes them itself. They lie in LIBRARY/.previews, \
            and those of shots that are gone are removed.
            """)

    @OptionGroup var output: FormatOptions

    @Option(help: "The library's folder.")
    var library: String

    @Flag(help: "Remove all of them first; this also tries pictures again that could not be read.")
    var fromNothing = false

    func perform(_ console: Console) async throws -> CommandStatus {
        let folder = AbsolutePath.of(library)
        let result = try PreviewRebuilding(try LibraryReader(folder: folder), folder: folder).run(
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
        result.problems.map { "\($0.key): \($0.reason)\n" }.joined()
            + "small pictures of \(result.made) files made, of \(result.problems.count) none\n"
    }
}
