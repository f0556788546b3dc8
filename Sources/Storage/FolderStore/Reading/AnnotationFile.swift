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

/// The names of a library's folders and files. All are built from validated ids and numbers.
enum FolderNames {
    static let manifest = "shot.json"
    /// The manifest of a take, instead of `shot.json`.
    static let takeManifest = "take.json"
    /// The temporary files of ``Folder/publish(_:as:)``.
    static let unfinishedManifests = ["shot.json.tmp", "take.json.tmp"]
    /// Title and note of the shot; the user's file.
    static let annotation = "annotation.json"
    static let unfinishedAnnotation = "annotation.json.tmp"
    static let annotationLock = ".annotation.lock"
    static let incoming = ".incoming"
    static let quarantine = ".quarantine"

    static func manifest(of shot: Shot) -> String { shot.take == nil ? manifest : takeManifest }

    /// Returns the name of the manifest that is, or would be, in a shot's folder.
    static func manifest(in folder: Folder) throws(PosixError) -> String {
        try folder.entry(takeManifest) == nil ? manifest : takeManifest
    }

    /// Returns `YYYY`, `MM`, `DD` and the shot's id. The date is that of T in UTC by the coordinator's wall clock.
    static func folders(of shot: Shot) -> [String] {
        day(atRealtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time)) + [shot.id.description]
    }

    static func day(atRealtimeNanoseconds nanoseconds: Int64) -> [String] {
        UTCDate(realtimeNanoseconds: nanoseconds).description.prefix(10).split(separator: "-").map(String.init)
    }

    /// Returns the day on which an id was created, by the clock of its creator.
    static func day(of id: ShotID) -> [String] {
        // An id may contain a time far beyond 64 bits of nanoseconds.
        let (nanoseconds, isTooLate) = id.unixMilliseconds.multipliedReportingOverflow(by: 1_000_000)
        return day(atRealtimeNanoseconds: isTooLate ? .max : nanoseconds)
    }

    /// Returns the milliseconds since 1970 of a day; nil for a day that does not exist.
    static func milliseconds(ofDay names: [String]) -> Range<Int64>? {
        let numbers = names.compactMap { Int($0) }
        guard numbers.count == 3, names.count == 3,
            let seconds = UTCDate.secondsSince1970(year: numbers[0], month: numbers[1], day: numbers[2])
        else { return nil }
        return seconds * 1_000..<(seconds + 86_400) * 1_000
    }

    /// Returns the path inside the shot's folder.
    static func path(_ device: DeviceID, _ kind: AssetKind) -> String {
        "\(device.folderName)/\(kind.fileName)"
    }

    static func location(of key: FileKey) -> AssetLocation {
        AssetLocation(path(key.capture.device, key.kind))
    }

    /// Returns `<shot>.<node>.<device>.<file>.`, the beginning of the name of every part of a file.
    static func partPrefix(_ key: FileKey) -> String {
        "\(key.capture.shot).\(key.capture.device.folderName).\(key.kind.fileName)."
    }

    /// Returns the shot and node of a part with this name; nil if the name is not that of a part.
    static func owner(ofPart name: String) -> (shot: ShotID, node: NodeName)? {
        let words = name.split(separator: ".").map(String.init)
        guard words.count > 3, words.last == "part", let shot = ShotID(words[0]), let node = try? NodeName(words[1])
        else { return nil }
        return (shot, node)
    }

    /// Returns the name of a part. It contains the digest, so that bytes of one content are never continued with those of another.
    static func part(_ key: FileKey, _ digest: ContentDigest) -> String {
        "\(partPrefix(key))\(digest).part"
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
