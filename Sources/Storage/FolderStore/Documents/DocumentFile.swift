public import CaptureModel
internal import FaultPoints
public import PosixSupport
public import StorageKit

/// A document stored as one file of a folder, such as the coordinator's state folder. Runs on a thread that may block on the disk.
public actor DocumentFile<Content: Sendable>: DocumentStore {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private let format: DocumentFormat<Content>
    private let folder: Folder

    /// Creates the folder if it is missing.
    public init(
        _ format: DocumentFormat<Content>, in path: String, executor: ThreadExecutor, fault: FileFault? = nil
    ) throws(PosixError) {
        folder = try Folder.make(path, fault: fault)
        self.format = format
        self.executor = executor
    }

    public func read() throws(StorageError) -> Content? {
        guard let bytes = try format.bytes(folder) else { return nil }
        do {
            return try format.decode(bytes)
        } catch {
            throw try damaged("\(error)")
        }
    }

    public func replace(with content: Content) throws(StorageError) {
        let path = folder.path(of: format.fileName)
        let bytes: [UInt8]
        do {
            bytes = try format.encode(content)
        } catch {
            throw StorageError(.inputOutput, "write", path, "\(format.subject) \(path) cannot be written: \(error)")
        }
        try folder.attempt { () throws(PosixError) in try folder.publish([bytes], as: format.fileName) }
        format.durable?.reached()
    }

    private func damaged(_ reason: String) throws(StorageError) -> StorageError {
        let path = folder.path(of: format.fileName)
        var consequence = format.consequence
        if format.setsAside {
            let kept = try folder.setAsideDamaged(format.fileName, in: folder, as: format.fileName)
            consequence = "the file is \(kept) now, \(consequence)"
        }
        return StorageError(
            .corrupted, "read", path, "\(format.subject) \(path) cannot be read: \(reason); \(consequence)")
    }
}
