import CaptureModel
import CaptureTestSupport
import Export
import FolderStore
import StorageConformance
import StorageKit

extension Samples {
    static func library(_ folder: TemporaryFolder) throws -> FolderStore {
        try FolderStore(folder: folder.path)
    }

    /// Where the shot of this number lies when it is not later than the first day.
    static func folder(_ number: Int64 = 1) -> String { "2026/11/21/\(shotID(number))" }
}

extension FolderStore {
    func journal(_ shot: Shot) async throws { try await manifests.journal(shot) }

    func collect(_ key: FileKey, _ bytes: [UInt8]) async throws { try await assets.collect(key, bytes) }
}

extension FolderReader {
    func export(
        _ ids: [ShotID], as layout: ExportLayout, to path: String, linking: Bool
    ) async throws(ExportError) -> ExportReport {
        try await (linking ? ShotExport(self, link: link) : ShotExport(self)).run(ids, as: layout, to: path)
    }
}
