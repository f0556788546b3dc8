internal import CaptureModel
internal import FoundationEssentials
internal import OpenSSL
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

/// The content of an `annotation.json`. It is the user's file and may have been written with any editor. Members may be missing, and
/// unknown ones present.
enum AnnotationFile {
    static let longest = 1 << 18

    private struct Version: Decodable {
        var schemaVersion: Int?
    }

    static func encoded(_ annotation: ShotAnnotation) throws(StorageError) -> [UInt8] {
        do throws(DocumentError) {
            return try StoredJSON.encoded(annotation, "the annotation of a shot")
        } catch {
            throw StorageError(error, "write", FolderNames.annotation)
        }
    }

    /// - Throws: `corrupted` with the problem. The caller adds the file's name.
    static func decode(_ bytes: [UInt8]) throws(StorageError) -> ShotAnnotation {
        let annotation: ShotAnnotation
        do {
            let version = try JSONDecoder().decode(Version.self, from: Data(bytes)).schemaVersion
            guard version ?? 1 <= ShotAnnotation.currentSchemaVersion else {
                throw damaged("it has schema version \(version ?? 1), which needs a newer version of this program")
            }
            annotation = try JSONDecoder().decode(ShotAnnotation.self, from: Data(bytes))
        } catch let error as StorageError {
            throw error
        } catch {
            throw damaged("it is not an annotation of a shot: \(error)")
        }
        if let problem = annotation.storedProblem { throw damaged(problem) }
        return annotation
    }

    private static func damaged(_ cause: String) -> StorageError {
        StorageError(.corrupted, "read", FolderNames.annotation, cause)
    }
}

extension OpenFile {
    /// Returns the SHA-256 of the complete file, read one mebibyte at a time.
    func digest() throws(PosixError) -> ContentDigest {
        ContentDigest(try hash().finalize())
    }

    /// Returns the state of SHA-256 after the complete file, to be continued with appended bytes.
    func hash() throws(PosixError) -> SHA256 {
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            let bytes = try read(at: offset, count: 1 << 20)
            guard !bytes.isEmpty else { return hash }
            hash.update(bytes)
            offset += Int64(bytes.count)
        }
    }
}

extension ContentDigest {
    init(_ digest: [UInt8]) {
        guard let value = ContentDigest(bytes: digest) else { preconditionFailure("SHA-256 has 32 bytes") }
        self = value
    }
}

extension StorageError {
    /// Converts the error of a failed file operation.
    /// - Parameter room: That of the disk, which the message about a full disk includes.
    init(_ error: PosixError, room: FileSystemRoom? = nil) {
        self.init(
            error.isOutOfSpace ? .noSpace : .inputOutput, error.operation, error.subject,
            error.description(on: room))
    }

    /// Converts the error of a document that cannot be encoded or decoded.
    init(_ error: DocumentError, _ operation: String, _ subject: String) {
        let code: Code =
            switch error.code {
            case .damaged, .newerVersion: .corrupted
            case .unencodable: .inputOutput
            }
        self.init(code, operation, subject, error.description)
    }
}

extension Folder {
    /// Performs file work on the file system of this folder, and converts its error.
    func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(StorageError) -> Result {
        do {
            return try work()
        } catch {
            throw StorageError(error, room: try? room())
        }
    }
}
