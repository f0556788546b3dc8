public import CaptureModel
public import FaultPoints
internal import Glibc
public import PosixSupport
public import StorageKit

/// The document of a rig's keys as the file `keys.json` of a folder. It has no secret, and who can write it decides who is
/// admitted. So a file or folder that others can write is refused. Runs on a thread that may block on the disk.
public actor FolderKeyRegistry: KeyRegistryStore {
    public static let fileName = "keys.json"

    private static let byteLimit = 16 << 20

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let folder: Folder

    /// Creates the folder if it is missing.
    public init(folder path: String, executor: ThreadExecutor, fault: FileFault? = nil) throws(PosixError) {
        folder = try Folder.make(path, fault: fault)
        self.executor = executor
    }

    public func document() throws(StorageError) -> [UInt8]? {
        try check(try folder.attempt { () throws(PosixError) in try folder.status() }, folder.path)
        guard let file = try opened() else { return nil }
        let path = folder.path(of: Self.fileName)
        let status = try folder.attempt { () throws(PosixError) in try file.status() }
        guard status.kind == .file else {
            throw StorageError(
                .corrupted, "read", path, "\(path) is not a file; move it away, or restore it from a copy")
        }
        try check(status, path)
        guard status.byteCount <= Int64(Self.byteLimit) else {
            throw StorageError(
                .corrupted, "read", path,
                "\(path) has \(status.byteCount) bytes, more than any registry of keys; restore it from a copy")
        }
        return try folder.attempt { () throws(PosixError) in try file.read(at: 0, count: Self.byteLimit) }
    }

    public func replace(with document: [UInt8]) throws(StorageError) {
        try folder.attempt { () throws(PosixError) in try folder.publish([document], as: Self.fileName) }
        KeyRegistryFault.durable.reached()
    }

    private func opened() throws(StorageError) -> OpenFile? {
        try folder.attempt { () throws(PosixError) in
            try folder.entry(Self.fileName) == nil ? nil : try folder.open(Self.fileName, for: .reading)
        }
    }

    /// - Throws: `corrupted` for a file or folder that somebody else can write.
    private func check(_ status: FileStatus, _ path: String) throws(StorageError) {
        guard status.owner == geteuid() || status.owner == 0 else {
            throw StorageError(
                .corrupted, "read", path,
                "\(path) belongs to another user, who could admit keys to this rig; check its content, then run: chown "
                    + "\(geteuid()) \(path)")
        }
        guard status.permissions & 0o022 == 0 else {
            throw StorageError(
                .corrupted, "read", path,
                "other users can write \(path), and so admit keys to this rig; check its content, then run: chmod go-w "
                    + path)
        }
    }
}

/// The steps of the registry's file work at which a test can make the disk fail.
public enum KeyRegistryFileFault: String, FileFaultPoint {
    case makeFolder = "keys.folder.make"
    case syncFolder = "keys.folder.sync"
    case read = "keys.file.read"
    case write = "keys.file.write"
    case sync = "keys.file.sync"
    case rename = "keys.file.rename"

    public init?(_ step: FileStep, path: String) {
        self.init(step, in: "keys", part: "file")
    }
}

/// Moments at which the registry of keys has just become durable.
public enum KeyRegistryFault: String, ThreadFaultPoint {
    case durable = "keys.file.durable"
}
