internal import ArgumentParser
internal import CaptureSystem
internal import Catalogue
internal import Library

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

    func perform(_ console: Console) async throws -> CommandStatus {
        let folder = AbsolutePath.of(library)
        let reader = try LibraryReader(folder: folder)
        let result = try await Reindexing(reader, folder: folder).run(SystemTimeSource(), fromNothing: fromNothing)
        console.write(try ReindexReport(result: result).rendered(as: output.format))
        return .complete
    }
}

/// What reindexing has found.
struct ReindexReport: Report {
    var result: Reindexing.Result

    /// `capctl shots reindex --format json`.
    struct Document: Encodable {
        var changed: Int
        var remade: String?
        var shots: Int
    }

    var document: Document { Document(changed: result.changed, remade: result.remade, shots: result.shots) }

    var table: String {
        let made = result.remade.map { "; the index was made from nothing, since it \($0)" } ?? ""
        return "\(result.shots) shots, of which \(result.changed) had changed\(made)\n"
    }
}
