internal import CaptureModel
internal import Foundation
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import RigLibrary
internal import ShotDocuments

/// Fetches files of one shot into a folder with the same layout as the shot's folder in the library. Blocks its thread
/// on the disk.
struct ShotDownload {
    /// An existing or expected file of the shot.
    struct Item {
        var device: DeviceID
        var file: CapturedFile
        /// Why the file does not exist, if the complete capture has failed.
        var problem: RigProblem?

        var folder: String { device.folderName }
        var name: String { file.kind.fileName }
        var path: String { "\(folder)/\(name)" }
    }

    private let stored: StoredManifest
    private let folder: Folder
    private let manifest: String

    private var shot: Shot { stored.shot }

    /// - Throws: If the folder cannot be created, or has files of another shot.
    init(of stored: StoredManifest, to path: String) throws {
        self.stored = stored
        let shot = stored.shot
        manifest = shot.take == nil ? "shot.json" : "take.json"
        folder = try Folder.make(path)
        try folder.checkPublishing(of: "the pictures", remedy: "give a folder on another disk with --to")
        for name in ["shot.json", "take.json"] where try folder.entry(name) != nil {
            guard try Self.id(in: folder, name) == shot.id else {
                throw CommandFailure(
                    .failed,
                    "\(folder.path(of: name)) belongs to another shot; give a separate folder for each shot with --to")
            }
        }
    }

    static func items(of shot: Shot) -> [Item] {
        shot.captures.flatMap { capture in
            capture.files.map { Item(device: capture.device.id, file: $0, problem: capture.problem) }
        }
    }

    /// Fetches missing files, and writes the manifest last, byte for byte. Files that cannot be fetched are outcomes.
    /// After the coordinator is lost, no further file is tried.
    func run(_ items: [Item], from client: RigClient, _ console: Console) async throws -> DownloadReport {
        var report = DownloadReport(shot: shot, folder: folder.path, manifest: manifest)
        for item in items {
            guard report.lost == nil else {
                report.files.append(DownloadedFile(item, .unreached, "the coordinator has stopped answering"))
                continue
            }
            do {
                let before = "\(report.files.count) of \(items.count) files; \(item.path): "
                let file = try await fetch(item, from: client) { done, size in
                    console.progress(before + "\(Decimals.byteText(done)) of \(Decimals.byteText(size))")
                }
                report.files.append(file)
            } catch let error as RigClientError where error.isLoss {
                report.files.append(DownloadedFile(item, .unreached, error.description))
                report.lost = error
            }
        }
        try folder.publish([stored.bytes], as: manifest)
        return report
    }

    /// - Throws: `RigClientError` if the coordinator is lost.
    private func fetch(
        _ item: Item, from client: RigClient, _ progress: (_ done: Int64, _ size: Int64) -> Void
    ) async throws -> DownloadedFile {
        guard let asset = StoredAsset(item.file, of: shot.id) else {
            let reason = (item.file.problem ?? item.problem)?.message
            return DownloadedFile(item, .absent, reason ?? "its outcome is \(item.file.outcome.rawValue)")
        }
        do {
            let place = try folder.makeFolder(item.folder)
            if let isSame = try FileBeingFetched.compare(item.name, in: place, with: asset) {
                return isSame
                    ? DownloadedFile(item, .present, of: asset)
                    : DownloadedFile(item, .conflict, "the folder has another file of this name; move it away")
            }
            let part = try FileBeingFetched(item.name, in: place, limit: asset.byteCount)
            try await part.fetch(asset, from: client, progress)
            return DownloadedFile(item, .fetched, of: asset)
        } catch let error as PosixError {
            return DownloadedFile(item, .failed, error.description)
        } catch let error as CommandFailure {
            return DownloadedFile(item, .failed, error.message)
        } catch let error as RigClientError where !error.isLoss {
            return DownloadedFile(item, error.outcome, error.description)
        }
    }

    private static func id(in folder: Folder, _ name: String) throws -> ShotID? {
        struct Identity: Decodable {
            var id: ShotID
        }
        let bytes = try folder.read(name, limit: ShotManifest.longest)
        return try? JSONDecoder().decode(Identity.self, from: Data(bytes)).id
    }
}

extension RigClientError {
    /// The outcome of a file whose reading ended with this error.
    fileprivate var outcome: DownloadedFile.Outcome {
        switch code {
        case .altered, .refused(RigProblem.Code.corrupted.rawValue): .altered
        case .refused(RigProblem.Code.fileLost.rawValue): .missing
        default: .failed
        }
    }
}
