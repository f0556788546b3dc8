internal import CaptureModel
internal import FoundationEssentials
internal import PosixSupport
internal import ShotDocuments
internal import StorageKit

extension FolderReader {
    func annotation(in folder: Folder) throws(StorageError) -> ShotAnnotation {
        let bytes = try folder.attempt { () throws(PosixError) in
            try folder.entry(FolderNames.annotation) == nil
                ? nil : try folder.read(FolderNames.annotation, limit: AnnotationFile.longest)
        }
        guard let bytes else { return ShotAnnotation() }
        do throws(StorageError) {
            return try AnnotationFile.decode(bytes)
        } catch {
            let path = folder.path(of: FolderNames.annotation)
            throw StorageError(error.code, "read", path, "\(path): \(error.description)")
        }
    }
}

/// The content of an `annotation.json`. It is the user's file and may have been written with any editor: members may be
/// missing, and others there.
enum AnnotationFile {
    static let longest = 1 << 18

    private struct Content: Decodable {
        var schemaVersion: Int?
        var title: String?
        var note: String?
    }

    static func encoded(_ annotation: ShotAnnotation) throws(StorageError) -> [UInt8] {
        do throws(CaptureProblem) {
            return try StoredJSON.encoded(annotation, "the title and note of a shot")
        } catch {
            throw StorageError(error, "write", FolderNames.annotation)
        }
    }

    /// - Throws: `corrupted` with what is wrong; the file's name is the caller's to add.
    static func decode(_ bytes: [UInt8]) throws(StorageError) -> ShotAnnotation {
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(bytes))
        } catch {
            throw damaged("it is no annotation of a shot: \(error)")
        }
        let version = content.schemaVersion ?? ShotAnnotation.currentSchemaVersion
        guard version <= ShotAnnotation.currentSchemaVersion else {
            throw damaged("it has schema version \(version), which needs a newer version of this program")
        }
        let annotation = ShotAnnotation(title: content.title ?? "", note: content.note ?? "")
        if let problem = annotation.problem { throw damaged(problem) }
        return annotation
    }

    private static func damaged(_ cause: String) -> StorageError {
        StorageError(.corrupted, "read", FolderNames.annotation, cause)
    }
}
