internal import ArgumentParser
internal import CaptureModel
internal import Export
internal import FolderStore
internal import RigClient
internal import RigDocuments
internal import RigLibrary
internal import StorageKit

/// `capctl export`.
struct ExportCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "export",
        abstract: "Copy the files of shots and takes into a folder, arranged for other programs.",
        discussion: """
            The files are read through the coordinator, or from the folder of --library. The folder appears when it is \
            complete. Every file is hashed while it is copied; a file that differs from the manifest is omitted and named. \
            Exit status: 0 if all expected files of the shots are exported, 3 if some are, 4 if none is. In the last case \
            no folder is made.
            """)

    static let examples: [CommandExample] = [
        "capctl export last --to set",
        "capctl export last --to by-camera --layout by-camera",
    ]

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The folder to create; it must not exist or must be empty.")
    var to: String

    @Option(
        help: ArgumentHelp("How to arrange the files: \(ExportLayout.names)."), transform: ExportLayout.argument)
    var layout = ExportLayout.byShot

    @Flag(
        help: """
            With --library: create hard links to the library's files instead of copies, if the file system supports it. \
            Changing such a file in place changes the library.
            """)
    var link = false

    @Argument(
        help: "The shots and takes: of each its id, the beginning or the last six characters of it, or last.",
        completion: .shots,
        transform: ShotReference.argument)
    var shots: [ShotReference]

    func validate() throws {
        guard !shots.isEmpty else { throw ValidationError("Give the ids of shots.") }
        guard !link || source.library != nil else {
            throw ValidationError("--link needs a library on this machine; give its folder with --library.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let folder = AbsolutePath.of(to)
        let shots = try await source.ids(of: shots, last: .both, console)
        var lost: StorageError?
        let report: ExportReport
        if let library = source.library {
            let reader = try open(AbsolutePath.of(library))
            report = try await run(
                shots, link ? ShotExport(reader, link: reader.link) : ShotExport(reader), folder, console)
        } else {
            report = try await source.rig.withClient { client in
                let library = RemoteLibrary(client, endpoint: await client.endpoint)
                let report = try await run(shots, ShotExport(library), folder, console)
                lost = await library.lost
                return report
            }
        }
        console.endProgress()
        if let lost { console.note("capctl: \(lost)\n") }
        try output.show(ExportTable(report: report, folder: folder), on: console)
        if lost != nil { return .noCoordinator }
        return report.isComplete ? .complete : report.isEmpty ? .failed : .partial
    }

    private func run(
        _ shots: [ShotID], _ export: ShotExport, _ folder: String, _ console: Console
    ) async throws -> ExportReport {
        try await export.run(shots, as: layout, to: folder) { done, count in
            console.progress("\(done) of \(count) files")
        }
    }

    private func open(_ folder: String) throws -> FolderReader {
        do {
            return try FolderReader(folder: folder)
        } catch {
            throw CommandFailure(.other, "the library \(folder) cannot be read: \(error)")
        }
    }
}

extension ExportLayout {
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Parses a layout on the command line.
    static func argument(_ text: String) throws -> ExportLayout {
        guard let layout = ExportLayout(rawValue: text) else {
            throw ValidationError("'\(text)' is not one of \(names)")
        }
        return layout
    }
}

/// The result of an export.
struct ExportTable: Report {
    var report: ExportReport
    var folder: String

    /// `capctl export --format json`.
    struct Document: Encodable {
        var cameras: [ExportedCamera]
        var files: [File]
        /// Absent if no folder was created.
        var folder: String?
        var layout: ExportLayout

        struct File: Encodable {
            var boundNanoseconds: Integer64?
            var byteCount: Integer64?
            var device: DeviceID
            var kind: AssetKind
            var outcome: ExportedFile.Outcome
            var path: String?
            var reason: String?
            var sha256: String?
            var shot: ShotID
            var skewNanoseconds: Integer64?
        }
    }

    var document: Document {
        Document(
            cameras: report.cameras, files: report.files.map(Document.File.init), folder: report.isEmpty ? nil : folder,
            layout: report.layout)
    }

    /// The paths of the files that are there.
    var names: [String]? { report.files.compactMap { file in file.path.map { "\(folder)/\($0)" } } }
    var failures: [String] {
        report.files.filter { !$0.outcome.isThere }.map { file in
            "\(file.shot) \(file.device) \(file.kind.rawValue): \(file.outcome.rawValue)\(file.reason.map { ": \($0)" } ?? "")"
        }
    }

    func table(_ layout: TextLayout) -> String {
        let there = report.files.filter(\.outcome.isThere)
        let rows = report.files.filter { $0.reason != nil }.map { file in
            [
                file.shot.description, file.device.description, file.kind.rawValue, file.outcome.rawValue,
                file.reason ?? "",
            ]
        }
        let columns: [Table.Column] = [
            .init("SHOT", .left, .id), .init("CAMERA", .left, .end(8)), .init("KIND", dropped: 1), .init("OUTCOME"),
            .init("REASON", .left, .wrap(20)),
        ]
        let bytes = Decimals.byteText(there.reduce(0) { $0 + ($1.byteCount ?? 0) })
        let linked = there.count { $0.outcome == .linked }
        let summary = "\(there.count) of \(report.files.count) files, \(bytes), \(linked) linked\n"
        let place = report.isEmpty ? "no file could be exported, and no folder was created\n" : folder + "\n"
        return (rows.isEmpty ? "" : Table(columns: columns, rows: rows).rendered(layout)) + summary + alike + place
    }
}

extension ExportTable {
    /// A line for each group of cameras that other programs may take for one.
    private var alike: String {
        report.alikeCameras.map { cameras in
            "\(cameras.count) cameras are of one model and picture size (\(cameras.map(\.description).joined(separator: ", "))): "
                + "group their pictures by serial number or folder, not by model\n"
        }.joined()
    }
}

extension ExportTable.Document.File {
    fileprivate init(_ file: ExportedFile) {
        self.init(
            boundNanoseconds: file.boundNanoseconds.map(Integer64.init), byteCount: file.byteCount.map(Integer64.init),
            device: file.device, kind: file.kind, outcome: file.outcome, path: file.path, reason: file.reason,
            sha256: file.sha256, shot: file.shot, skewNanoseconds: file.skewNanoseconds.map(Integer64.init))
    }
}
