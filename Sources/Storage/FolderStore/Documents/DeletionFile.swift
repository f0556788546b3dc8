internal import CaptureModel
internal import FoundationEssentials
internal import PosixSupport
internal import ShotDocuments
internal import StorageKit

/// The record of a deletion: `.deleting/<shot>.json` until it is finished, then `.deleted/YYYY/MM/DD/<shot>.json`.
struct DeletionFile: Codable {
    private static let longest = 1 << 14

    private var schemaVersion = 1
    private var deletion: ShotDeletion

    private enum CodingKeys: CodingKey {
        case schemaVersion, deletion
    }

    static func name(of id: ShotID) -> String { "\(id).json" }

    /// Returns the shot of a record with this name; nil if it is not that of a record.
    static func shot(ofName name: String) -> ShotID? {
        guard name.hasSuffix(".json") else { return nil }
        return ShotID(String(name.dropLast(5))).flatMap { Self.name(of: $0) == name ? $0 : nil }
    }

    static func encoded(_ deletion: ShotDeletion) throws(StorageError) -> [UInt8] {
        do throws(DocumentError) {
            return try StoredJSON.encoded(DeletionFile(deletion: deletion), "the record of a deletion")
        } catch {
            throw StorageError(error, "write", "the record of a deletion")
        }
    }

    /// Returns the record of a shot in a folder; nil if there is none.
    /// - Throws: `corrupted`, `inputOutput`.
    static func read(_ id: ShotID, in folder: Folder) throws(StorageError) -> ShotDeletion? {
        let name = name(of: id)
        let bytes = try folder.attempt { () throws(PosixError) -> [UInt8]? in
            try folder.entry(name) == nil ? nil : try folder.read(name, limit: longest)
        }
        guard let bytes else { return nil }
        guard let file = try? JSONDecoder().decode(DeletionFile.self, from: Data(bytes)), file.schemaVersion == 1,
            file.deletion.shot == id
        else {
            let path = folder.path(of: name)
            throw StorageError(
                .corrupted, "read", path,
                "\(path) is not the record of the deletion of shot \(id), or that of a newer version; remove it if the shot is not to be "
                    + "known as deleted")
        }
        return file.deletion
    }

    private init(deletion: ShotDeletion) {
        self.deletion = deletion
    }
}
