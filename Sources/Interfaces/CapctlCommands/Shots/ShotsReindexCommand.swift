internal import ArgumentParser
internal import CaptureSystem
internal import Catalogue
internal import FolderStore

/// `capctl shots reindex`.
struct ShotsReindexCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reindex", abstract: "Bring the index of a library up to date that no coordinator works in.",
        discussion: "A coordinator keeps the index of its library itself. Without an index, lists are right and slow.")

    @OptionGroup var output: FormatOptions

    @Option(help: "The library's folder.")
    var library: String

    @Flag(help: "Delete the index and make it from nothing.")
    var fromNothing = false

    @Flag(
        help: "Read every manifest, and put right what the index says otherwise though the manifest has not changed.")
    var check = false

    func perform(_ console: Console) async throws -> CommandStatus {
        let folder = AbsolutePath.of(library)
        let reader = try FolderReader(folder: folder)
        let result = try await Reindexing(reader, folder: folder, lock: { try reader.lock() }).run(
            SystemTimeSource(), fromNothing: fromNothing, checking: check)
        console.write(try ReindexReport(result: result).rendered(as: output.format))
        // The index is as the library is; only who asks for a check has asked about the library.
        return check && result.damaged > 0 ? .failed : .complete
    }
}

/// What reindexing has found.
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

    var table: String {
        let made = result.remade.map { "; the index was made from nothing, since it \($0)" } ?? ""
        let wrong = result.wrong > 0 ? "; of \(result.wrong) others the index said something else" : ""
        let damaged =
            result.damaged > 0
            ? "\(result.damaged.counted("manifest")) cannot be read; `capctl shots verify --all --library DIR` names them\n"
            : ""
        return "\(result.shots.counted("shot")), of which \(result.changed) had changed\(made)\(wrong)\n\(damaged)"
    }
}
