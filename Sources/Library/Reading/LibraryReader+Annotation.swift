public import CaptureModel
internal import CaptureSystem
internal import FoundationEssentials
internal import PosixSupport
internal import ShotDocuments

extension LibraryReader {
    /// What people have written about a shot; empty where they have not.
    /// - Throws: `corrupted` where the file is damaged; `inputOutput`.
    public func annotation(of id: ShotID) throws(CaptureProblem) -> ShotAnnotation {
        guard let folder = try folder(of: id) else { return ShotAnnotation() }
        return try annotation(in: folder)
    }

    func annotation(in folder: Folder) throws(CaptureProblem) -> ShotAnnotation {
        let bytes = try folder.attempt { () throws(PosixError) in
            try folder.entry(LibraryNames.annotation) == nil
                ? nil : try folder.read(LibraryNames.annotation, limit: AnnotationFile.longest)
        }
        guard let bytes else { return ShotAnnotation() }
        do throws(CaptureProblem) {
            return try AnnotationFile.decode(bytes)
        } catch {
            throw CaptureProblem(error.code, "\(folder.path(of: LibraryNames.annotation)): \(error.message)")
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

    static func encoded(_ annotation: ShotAnnotation) throws(CaptureProblem) -> [UInt8] {
        try StoredJSON.encoded(annotation, "the title and note of a shot")
    }

    /// - Throws: `corrupted` with what is wrong; the file's name is the caller's to add.
    static func decode(_ bytes: [UInt8]) throws(CaptureProblem) -> ShotAnnotation {
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(bytes))
        } catch {
            throw CaptureProblem(.corrupted, "it is no annotation of a shot: \(error)")
        }
        let version = content.schemaVersion ?? ShotAnnotation.currentSchemaVersion
        guard version <= ShotAnnotation.currentSchemaVersion else {
            throw CaptureProblem(
                .corrupted, "it has schema version \(version), which needs a newer version of this program")
        }
        let annotation = ShotAnnotation(title: content.title ?? "", note: content.note ?? "")
        if let problem = annotation.problem { throw CaptureProblem(.corrupted, problem) }
        return annotation
    }
}
