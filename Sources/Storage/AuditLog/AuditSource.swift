public import CaptureModel
internal import Glibc
public import PosixSupport

/// Where the files of an audit log are read: a folder, or a coordinator that has one.
public protocol AuditSource: Sendable {
    /// Its name in messages: a path or an endpoint.
    var name: String { get }
    /// The number of the first record of each file, 1 to 2⁵³.
    func files() async throws -> [UInt64]
    /// Returns the bytes of the file that begins with a record; nil if the writer has removed it.
    func read(_ file: UInt64) async throws -> [UInt8]?
}

/// The folder of an audit log, or a copy of one. Blocks on the disk.
public struct AuditFolder: AuditSource {
    /// The longest file that is read.
    public static let fileLimit = 64 << 20
    private let folder: Folder

    /// - Throws: `notFound` if there is no folder at `path`.
    public init(_ path: String, fault: FileFault? = nil) throws(AuditError) {
        do throws(PosixError) {
            folder = try Folder(opening: path, fault: fault)
        } catch {
            guard error.code == ENOENT else { throw AuditError(error) }
            throw AuditError(.notFound, "open", path, "there is no audit log in \(path); check the path")
        }
    }

    public var name: String { folder.path }

    public func files() throws(AuditError) -> [UInt64] {
        try auditing { () throws(PosixError) in try folder.auditSegments() }.map(\.first)
    }

    public func read(_ file: UInt64) throws(AuditError) -> [UInt8]? {
        try absent { () throws(PosixError) in
            try folder.read(AuditSegment(first: file).name, limit: Self.fileLimit)
        }
    }

    /// Returns at most `count` bytes of a file from `offset`, and the length of the file; nil if there is no such file.
    func read(_ file: UInt64, at offset: Int64, count: Int) throws(AuditError) -> (bytes: [UInt8], byteCount: Int64)? {
        try absent { () throws(PosixError) in
            let file = try folder.open(AuditSegment(first: file).name, for: .reading)
            let bytes = try file.read(at: offset, count: count)
            // After reading, so that it covers what was read of a file that grows.
            return (bytes, try file.byteCount())
        }
    }

    /// Returns nil if the file does not exist.
    private func absent<Result>(_ read: () throws(PosixError) -> Result) throws(AuditError) -> Result? {
        do throws(PosixError) {
            return try read()
        } catch {
            guard error.code == ENOENT else { throw AuditError(error) }
            return nil
        }
    }
}

/// Reads parts of a log's files on a thread of its own, so that neither the log's writer nor a caller waits for them.
public actor AuditParts {
    /// A part of a file, and the files that there are.
    public struct Part: Hashable, Sendable {
        public let bytes: [UInt8]
        /// The length of the file; 0 without one.
        public let byteCount: Int64
        public let files: [UInt64]
    }

    /// The most files that are listed, the newest: more than a log has unless somebody adds files to its folder.
    public static let fileLimit = 4096
    private let folder: AuditFolder
    private nonisolated let executor: ThreadExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    public init(folder path: String, executor: ThreadExecutor, fault: FileFault? = nil) throws(AuditError) {
        folder = try AuditFolder(path, fault: fault)
        self.executor = executor
    }

    /// - Parameters:
    ///   - file: The number of the file's first record; nil reads only the list of the files.
    ///   - offset: Bytes from the start of the file.
    /// - Throws: `notFound` if the file no longer exists; `inputOutput`.
    public func part(of file: UInt64?, at offset: Int64, count: Int) throws(AuditError) -> Part {
        let files = Array(try folder.files().suffix(Self.fileLimit))
        guard let file else { return Part(bytes: [], byteCount: 0, files: files) }
        guard files.contains(file), let found = try folder.read(file, at: offset, count: count) else {
            throw AuditError(
                .notFound, "read", folder.name,
                "the audit log has no file that begins with record \(file); its oldest files are removed in time")
        }
        return Part(bytes: found.bytes, byteCount: found.byteCount, files: files)
    }
}
