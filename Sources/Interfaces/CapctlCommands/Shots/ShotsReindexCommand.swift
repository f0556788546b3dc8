internal import ArgumentParser
internal import Catalogue
internal import FolderStore
internal import SystemClock

/// `capctl shots reindex`.
struct ShotsReindexCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "reindex", abstract: "Update the index of a library in which no coordinator works.",
        discussion:
            "A coordinator updates the index of its library itself. Without an index, lists are correct but slow.")

    static let examples: [CommandExample] = [
        .shown("capctl shots reindex --library pictures", needs: "a library without a coordinator")
    ]

    @OptionGroup var output: NamelessFormatOptions

    @Option(help: "The library's folder.")
    var library: String

    @Flag(help: "Delete the index first, and make it again.")
    var fromNothing = false

    @Flag(
        help: "Read every manifest, and correct entries of the index that differ from an unchanged manifest.")
    var check = false

    func perform(_ console: Console) async throws -> CommandStatus {
        let folder = AbsolutePath.of(library)
        let reader = try FolderReader(folder: folder)
        let result = try await Reindexing(reader, folder: folder, lock: { try reader.lock() }).run(
            SystemTimeSource(), fromNothing: fromNothing, checking: check)
        try output.show(ReindexReport(result: result), on: console)
        // The index matches the library; damage to the library is a failure only with `--check`.
        return check && result.damaged > 0 ? .failed : .complete
    }
}

/// The result of reindexing.
struct ReindexReport: Report {
    var result: Reindexing.Result

    /// `capctl shots reindex --format json`.
    struct Document: Encodable {
        var changed: Int
        var damaged: Int
        var remade: String?
        var shots: Int
        var wrong: Int
    }

    var document: Document {
        Document(
            changed: result.changed, damaged: result.damaged, remade: result.remade, shots: result.shots,
            wrong: result.wrong)
    }

    func table(_ layout: TextLayout) -> String {
        let made = result.remade.map { "; the index was made again, since it \($0)" } ?? ""
        let wrong = result.wrong > 0 ? "; \(result.wrong) other entries of the index were wrong" : ""
        let damaged =
            result.damaged > 0
            ? "\(result.damaged.counted("manifest")) cannot be read; `capctl shots verify --all --library DIR` names them\n"
            : ""
        return "\(result.shots.counted("shot")), of which \(result.changed) had changed\(made)\(wrong)\n\(damaged)"
    }
}
