internal import CaptureModel
public import FaultPoints
internal import Glibc
public import PosixSupport
internal import StorageKit

extension DocumentFormat<[UInt8]> {
    /// The document of a rig's keys, whose content `RigAccess` defines. It has no secret, and who can write it decides who is admitted. So
    /// a file or folder that others can write is refused.
    public static var keys: DocumentFormat {
        DocumentFormat(
            fileName: KeyRegistryFile.name, subject: "the registry of keys", consequence: "restore it from a copy",
            setsAside: false, durable: KeyRegistryFault.durable,
            bytes: { folder throws(StorageError) in try KeyRegistryFile.bytes(in: folder) }, decode: { $0 },
            encode: { $0 })
    }
}

/// Reads a `keys.json` that nobody else can write.
private enum KeyRegistryFile {
    static let name = "keys.json"
    private static let byteLimit = 16 << 20

    /// - Returns: nil if there is no file.
    static func bytes(in folder: Folder) throws(StorageError) -> [UInt8]? {
        try check(try folder.attempt { () throws(PosixError) in try folder.status() }, folder.path)
        guard let file = try opened(in: folder) else { return nil }
        let path = folder.path(of: name)
        let status = try folder.attempt { () throws(PosixError) in try file.status() }
        guard status.kind == .file else {
            throw StorageError(
                .corrupted, "read", path, "\(path) is not a file; move it away, or restore it from a copy")
        }
        try check(status, path)
        guard status.byteCount <= Int64(byteLimit) else {
            throw StorageError(
                .corrupted, "read", path,
                "\(path) has \(status.byteCount) bytes, more than any registry of keys; restore it from a copy")
        }
        return try folder.attempt { () throws(PosixError) in try file.read(at: 0, count: byteLimit) }
    }

    private static func opened(in folder: Folder) throws(StorageError) -> OpenFile? {
        try folder.attempt { () throws(PosixError) in
            try folder.entry(name) == nil ? nil : try folder.open(name, for: .reading)
        }
    }

    /// - Throws: `corrupted` for a file or folder that somebody else can write.
    private static func check(_ status: FileStatus, _ path: String) throws(StorageError) {
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
