public import CaptureModel
internal import FoundationEssentials
public import PosixSupport
public import StorageKit

/// The hold of a rig stored as the file `hold.json` of a folder, such as the coordinator's state folder. Runs on a thread that may block
/// on the disk.
public actor FolderHold: HoldStore {
    /// The name of the hold's file. There is none as long as nobody has ever held the rig.
    public static let fileName = "hold.json"

    private static let byteLimit = 1 << 16

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let folder: Folder

    /// Creates the folder if it is missing.
    public init(folder path: String, executor: ThreadExecutor, fault: FileFault? = nil) throws(PosixError) {
        folder = try Folder.make(path, fault: fault)
        self.executor = executor
    }

    public func hold() throws(StorageError) -> StoredHold? {
        let bytes = try folder.attempt { () throws(PosixError) in
            try folder.entry(Self.fileName) == nil ? nil : try folder.read(Self.fileName, limit: Self.byteLimit)
        }
        guard let bytes else { return nil }
        return try HoldFile.hold(in: bytes, of: folder.path(of: Self.fileName))
    }

    public func replace(with hold: StoredHold?) throws(StorageError) {
        let bytes = try HoldFile.encoded(hold, for: folder.path(of: Self.fileName))
        try folder.attempt { () throws(PosixError) in try folder.publish([bytes], as: Self.fileName) }
    }
}

/// The content of a `hold.json`. Without a hold it has only its version.
struct HoldFile: Codable {
    private static let currentSchemaVersion = 1

    private struct Content: Codable {
        var endsRigNanoseconds: RigTime
        var holder: String
        var isAuthenticated: Bool
        var note: String
        var rigClock: RigClockID
        var takenRigNanoseconds: RigTime
    }

    private var schemaVersion = HoldFile.currentSchemaVersion
    private var hold: Content?

    private init(_ stored: StoredHold?) {
        hold = stored.map { stored in
            Content(
                endsRigNanoseconds: stored.hold.ends, holder: stored.hold.holder.name,
                isAuthenticated: stored.hold.holder.isAuthenticated, note: stored.hold.note, rigClock: stored.rigClock,
                takenRigNanoseconds: stored.hold.taken)
        }
    }

    /// Returns the hold in the content of the file at `path`.
    static func hold(in content: [UInt8], of path: String) throws(StorageError) -> StoredHold? {
        let file: HoldFile
        do {
            file = try JSONDecoder().decode(HoldFile.self, from: Data(content))
        } catch {
            throw damaged(path, "\(error)")
        }
        guard file.schemaVersion == currentSchemaVersion else {
            throw damaged(
                path, "it has schema version \(file.schemaVersion), this program knows \(currentSchemaVersion)")
        }
        guard let hold = file.hold else { return nil }
        guard let holder = Principal(recorded: hold.holder, isAuthenticated: hold.isAuthenticated),
            RigHold.isValid(note: hold.note), hold.takenRigNanoseconds <= hold.endsRigNanoseconds
        else { throw damaged(path, "its holder, note or times are not those of a hold") }
        return StoredHold(
            RigHold(
                holder: holder, note: hold.note, taken: hold.takenRigNanoseconds, ends: hold.endsRigNanoseconds),
            rigClock: hold.rigClock)
    }

    /// Returns the content of a file of this hold; `path` is for error messages.
    static func encoded(_ hold: StoredHold?, for path: String) throws(StorageError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(HoldFile(hold)))
        } catch {
            throw StorageError(.inputOutput, "write", path, "the hold \(path) cannot be written: \(error)")
        }
    }

    private static func damaged(_ path: String, _ reason: String) -> StorageError {
        StorageError(
            .corrupted, "read", path,
            "the hold \(path) cannot be read: \(reason); nobody holds the rig then, and the next hold replaces the file"
        )
    }
}
