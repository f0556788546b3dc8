public import CaptureModel
public import PosixSupport
internal import ShotDocuments
public import StorageKit

/// Reads a library's folder without its lock, also while a coordinator writes it: manifests and files appear whole or not at
/// all. Every call blocks on the disk, on the caller's thread.
public struct FolderReader: Sendable {
    let root: Folder
    /// `CLOCK_REALTIME`, nanoseconds: that of the kernel, which stamps the folders.
    let realtime: @Sendable () -> Int64

    /// - Throws: Where the folder cannot be opened.
    public init(folder path: String, fault: FileFault? = nil) throws(PosixError) {
        self.init(root: try Folder(opening: path, fault: fault))
    }

    init(root: Folder) {
        self.root = root
        realtime = { FolderReader.kernelRealtime }
    }

    /// The right to write the library: a coordinator's, or for moments that of who brings up its index. Held until the last
    /// reference to it goes.
    /// - Throws: `FolderInUse` where another process has it; `PosixError`.
    public func lock() throws -> FolderLock {
        try FolderLock(root)
    }

    /// The path of a shot's folder, or nil where the library does not have it.
    public func path(of id: ShotID) throws(StorageError) -> String? {
        try folder(of: id)?.path
    }

    /// The shot of a folder; nil where the folder is what a crash has left of one whose first manifest was not written.
    func readIfBegun(in folder: Folder, id: ShotID) throws(StorageError) -> Shot? {
        do throws(StorageError) {
            return try read(in: folder, id: id)
        } catch {
            if try isUnbegun(folder) { return nil }
            throw error
        }
    }

    private func read(in folder: Folder, id: ShotID) throws(StorageError) -> Shot {
        let (name, bytes) = try folder.attempt { () throws(PosixError) in
            let name = try FolderNames.manifest(in: folder)
            return (name, try folder.read(name, limit: ShotManifest.longest))
        }
        let shot: Shot
        do throws(CaptureProblem) {
            shot = try ShotManifest.decode(bytes)
        } catch {
            throw StorageError(error, "read", folder.path(of: name))
        }
        guard shot.id == id else {
            throw StorageError(.corrupted, "read", folder.path(of: name), "it is the manifest of shot \(shot.id)")
        }
        return shot
    }
}
