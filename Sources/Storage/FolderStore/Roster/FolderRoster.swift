public import CaptureModel
public import FaultPoints
internal import FoundationEssentials
public import PosixSupport
public import StorageKit

/// A roster stored as the file `roster.json` of a folder, such as the coordinator's state folder. Runs on a thread that may block on the
/// disk.
public actor FolderRoster: RosterStore {
    /// The name of the roster's file.
    public static let fileName = "roster.json"

    private static let byteLimit = 16 << 20

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let folder: Folder

    /// Creates the folder if it is missing.
    public init(folder path: String, executor: ThreadExecutor, fault: FileFault? = nil) throws(PosixError) {
        folder = try Folder.make(path, fault: fault)
        self.executor = executor
    }

    public func devices() throws(StorageError) -> [DeviceDescription] {
        let bytes = try folder.attempt { () throws(PosixError) in
            try folder.entry(Self.fileName) == nil ? nil : try folder.read(Self.fileName, limit: Self.byteLimit)
        }
        guard let bytes else { return [] }
        return try RosterDocument.devices(in: bytes, of: folder.path(of: Self.fileName))
    }

    public func replace(with devices: [DeviceDescription]) throws(StorageError) {
        let path = folder.path(of: Self.fileName)
        let bytes = try RosterDocument.encoded(devices, for: path)
        try folder.attempt { () throws(PosixError) in try folder.publish([bytes], as: Self.fileName) }
        RosterFault.durable.reached()
    }
}

/// The steps of the roster's file work at which a test can make the disk fail.
public enum RosterFileFault: String, FileFaultPoint {
    case makeFolder = "roster.folder.make"
    case syncFolder = "roster.folder.sync"
    case read = "roster.file.read"
    case write = "roster.file.write"
    case sync = "roster.file.sync"
    case rename = "roster.file.rename"

    public init?(_ step: FileStep, path: String) {
        self.init(step, in: "roster", part: "file")
    }
}

/// Moments at which the roster has just become durable.
public enum RosterFault: String, ThreadFaultPoint {
    case durable = "roster.file.durable"
}

/// The content of a `roster.json`.
struct RosterDocument: Codable {
    private static let currentSchemaVersion = 1

    private var schemaVersion = RosterDocument.currentSchemaVersion
    private var devices: [DeviceDescription]

    private init(devices: [DeviceDescription]) {
        self.devices = devices
    }

    /// Returns the devices in the content of the file at `path`.
    static func devices(in content: [UInt8], of path: String) throws(StorageError) -> [DeviceDescription] {
        let document: RosterDocument
        do {
            document = try JSONDecoder().decode(RosterDocument.self, from: Data(content))
        } catch {
            throw damaged(path, "\(error)")
        }
        guard document.schemaVersion == currentSchemaVersion else {
            throw damaged(
                path, "it has schema version \(document.schemaVersion), this program knows \(currentSchemaVersion)")
        }
        return document.devices
    }

    /// Returns the content of a file of these devices; `path` is for error messages.
    static func encoded(_ devices: [DeviceDescription], for path: String) throws(StorageError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(RosterDocument(devices: devices)))
        } catch {
            throw StorageError(.inputOutput, "write", path, "the roster \(path) cannot be written: \(error)")
        }
    }

    private static func damaged(_ path: String, _ reason: String) -> StorageError {
        StorageError(
            .corrupted, "read", path,
            "the roster \(path) cannot be read: \(reason); restore it from a copy, or move it away to begin with the cameras that connect"
        )
    }
}
