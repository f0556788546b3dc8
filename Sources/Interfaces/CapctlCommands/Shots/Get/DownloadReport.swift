internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// A file of a shot and the outcome of fetching it.
struct DownloadedFile {
    var device: DeviceID
    var kind: AssetKind
    var outcome: Outcome
    /// Path inside the folder; absent if the file does not exist.
    var path: String?
    /// Why the file does not exist; a sentence.
    var reason: String?
    var byteCount: Int64?
    /// SHA-256 of its bytes, hexadecimal: the digest of the manifest, with which the bytes were compared.
    var sha256: String?

    enum Outcome: String, Encodable, CaseIterable {
        case fetched
        /// The file existed already, with the bytes of the manifest.
        case present
        /// The shot does not have the expected file, or not yet.
        case absent
        /// The library had stored the file and has lost it.
        case missing
        /// The library's bytes are not those of the manifest.
        case altered
        /// A file of this name with other bytes exists.
        case conflict
        /// The file could not be read in the library or written here.
        case failed
        /// The coordinator has stopped answering.
        case unreached

        var isThere: Bool { self == .fetched || self == .present }
    }

    init(_ item: ShotDownload.Item, _ outcome: Outcome, _ reason: String) {
        (device, kind) = (item.device, item.file.kind)
        (self.outcome, self.reason) = (outcome, reason)
    }

    init(_ item: ShotDownload.Item, _ outcome: Outcome, of asset: StoredAsset) {
        (device, kind) = (item.device, item.file.kind)
        (self.outcome, path, byteCount) = (outcome, item.path, asset.byteCount)
        sha256 = asset.digest.description
    }
}

/// The result of `capctl shots get`.
struct DownloadReport: Report {
    var shot: Shot
    var folder: String
    /// The manifest's name inside the folder.
    var manifest: String
    var files: [DownloadedFile] = []
    /// Why the coordinator is lost.
    var lost: RigClientError?

    var status: CommandStatus {
        if lost != nil { return .noCoordinator }
        let there = files.count(where: \.outcome.isThere)
        return there == files.count ? .complete : there > 0 ? .partial : .failed
    }

    /// `capctl shots get --format json`.
    struct Document: Encodable {
        var files: [File]
        var folder: String
        var manifest: String
        var shot: ShotID
        /// The status of the shot.
        var status: Shot.Status

        struct File: Encodable {
            var byteCount: Integer64?
            var device: DeviceID
            var kind: AssetKind
            var outcome: DownloadedFile.Outcome
            var path: String?
            var reason: String?
            var sha256: String?
        }
    }

    var document: Document {
        Document(
            files: files.map(Document.File.init), folder: folder, manifest: manifest, shot: shot.id,
            status: shot.status)
    }

    /// The paths of the files that are there.
    var names: [String]? { files.compactMap { file in file.path.map { "\(folder)/\($0)" } } }
    var failures: [String] {
        files.filter { !$0.outcome.isThere }.map { file in
            "\(file.device) \(file.kind.rawValue): \(file.outcome.rawValue)\(file.reason.map { ": \($0)" } ?? "")"
        }
    }

    func table(_ layout: TextLayout) -> String {
        let rows = files.map { file in
            let size = file.byteCount.map(Decimals.byteText) ?? ""
            let place = file.path ?? file.reason ?? ""
            return [file.device.description, file.kind.rawValue, file.outcome.rawValue, size, place]
        }
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("KIND", dropped: 2), .init("OUTCOME"),
            .init("SIZE", .right, dropped: 1), .init("FILE", .left, .wrap(20)),
        ]
        return Table(columns: columns, rows: rows).rendered(layout) + summary + folder + "\n"
    }

    private var summary: String {
        let there = files.filter(\.outcome.isThere)
        let present = there.count { $0.outcome == .present }
        let bytes = Decimals.byteText(there.reduce(0) { $0 + ($1.byteCount ?? 0) })
        return "\(there.count) of \(files.count) files, \(bytes), \(present) of them already present\n"
    }
}

extension DownloadReport.Document.File {
    fileprivate init(_ file: DownloadedFile) {
        self.init(
            byteCount: file.byteCount.map(Integer64.init), device: file.device, kind: file.kind, outcome: file.outcome,
            path: file.path, reason: file.reason, sha256: file.sha256)
    }
}
