internal import ArgumentParser
internal import CaptureModel
internal import Export
internal import FolderStore
internal import RigClient

/// `capctl export`.
struct ExportCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Put the files of shots and takes into a folder, arranged for other programs.",
        discussion: """
            The folder appears when it is whole. Every file is hashed on the way; one that is not as the manifest says is \
            left out and named. Ends with 0 when every file that the shots were to have is there, 3 when some are, 4 when \
            none is, and then makes no folder.
            """)

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The folder to be made; it must not exist, or be empty.")
    var to: String

    @Option(
        help: ArgumentHelp("How to arrange the files: \(ExportLayout.names)."), transform: ExportLayout.argument)
    var layout = ExportLayout.byShot

    @Flag(
        help: """
            Give the library's own files a second name instead of copying them, where the file system can. Who changes \
            such a file in place changes the library.
            """)
    var link = false

    @Argument(help: "The shots' or takes' ids.", transform: ShotID.argument)
    var shots: [ShotID]

    func validate() throws {
        guard !shots.isEmpty else { throw ValidationError("Name shots by their ids.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let library = try await libraryFolder(console)
        let folder = AbsolutePath.of(to)
        let reader = try open(library)
        let export = link ? ShotExport(reader, link: reader.link) : ShotExport(reader)
        let report = try await export.run(shots, as: layout, to: folder) { done, count in
            console.progress("\(done) of \(count) files")
        }
        console.endProgress()
        console.write(try ExportTable(report: report, folder: folder).rendered(as: output.format))
        return report.isComplete ? .complete : report.isEmpty ? .failed : .partial
    }

    /// The library's folder: the one that is named, or that of the coordinator.
    private func libraryFolder(_ console: Console) async throws -> String {
        if let library = source.library { return AbsolutePath.of(library) }
        return try await source.withSource(console) { try await $0.show(shots[0]).library }
    }

    private func open(_ folder: String) throws -> FolderReader {
        do {
            return try FolderReader(folder: folder)
        } catch {
            throw CommandFailure(
                .other,
                "the library \(folder) cannot be read here: \(error); export on the coordinator's machine, or "
                    + "mount the library and name it with --library")
        }
    }
}

extension ExportLayout {
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Takes a layout from the command line.
    static func argument(_ text: String) throws -> ExportLayout {
        guard let layout = ExportLayout(rawValue: text) else {
            throw ValidationError("'\(text)' is none of \(names)")
        }
        return layout
    }
}

/// What an export has become.
struct ExportTable: Report {
    var report: ExportReport
    var folder: String

    /// `capctl export --format json`.
    struct Document: Encodable {
        var files: [ExportedFile]
        /// Absent where none was made.
        var folder: String?
        var layout: ExportLayout
    }

    var document: Document {
        Document(files: report.files, folder: report.isEmpty ? nil : folder, layout: report.layout)
    }

    var table: String {
        let there = report.files.filter(\.outcome.isThere)
        let rows = report.files.filter { $0.reason != nil }.map { file in
            [
                file.shot.description, file.device.description, file.kind.rawValue, file.outcome.rawValue,
                file.reason ?? "",
            ]
        }
        let columns: [Table.Column] = [
            .init("SHOT"), .init("CAMERA"), .init("KIND"), .init("OUTCOME"), .init("REASON"),
        ]
        let bytes = Decimals.byteText(there.reduce(0) { $0 + ($1.byteCount ?? 0) })
        let linked = there.count { $0.outcome == .linked }
        let summary = "\(there.count) of \(report.files.count) files, \(bytes), \(linked) linked\n"
        let place = report.isEmpty ? "no file is there, and no folder was made\n" : folder + "\n"
        return (rows.isEmpty ? "" : Table(columns: columns, rows: rows).rendered()) + summary + place
    }
}
