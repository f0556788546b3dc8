internal import ArgumentParser
internal import CaptureModel
internal import FolderStore
internal import Previews

/// `capctl shots previews`.
struct ShotsPreviewsCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "previews", abstract: "Make the small pictures (thumbnails and previews) that a library lacks.",
        discussion: """
            Every still and every movie of a take has a thumbnail and a preview in LIBRARY/.previews. A running \
            coordinator makes those of its library itself; this command is for a library without a coordinator. It also \
            removes the small pictures of deleted shots. The exit status is 3 if files cannot be read; these get no small \
            pictures.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl shots previews --library pictures", needs: "a library without a coordinator")
    ]

    @OptionGroup var output: NamelessFormatOptions

    @Option(help: "The library's folder.")
    var library: String

    @Flag(help: "Remove all small pictures first; pictures that could not be read are also tried again.")
    var fromNothing = false

    func perform(_ console: Console) async throws -> CommandStatus {
        let folder = AbsolutePath.of(library)
        let result = try await PreviewRebuilding(try FolderReader(folder: folder), folder: folder).run(
            fromNothing: fromNothing)
        try output.show(PreviewsReport(result: result), on: console)
        return result.problems.isEmpty ? .complete : .partial
    }
}

/// The result of making small pictures.
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

    func table(_ layout: TextLayout) -> String {
        var lines = result.problems.map { "\($0.key): \($0.reason)" }
        if result.made > 0 { lines.append("made the thumbnail and preview of \(result.made.counted("file"))") }
        if !result.problems.isEmpty {
            lines.append("\(result.problems.count.counted("file")) cannot be read, for the reasons above")
        }
        return lines.isEmpty ? "no thumbnail or preview is missing\n" : lines.joined(separator: "\n") + "\n"
    }
}
