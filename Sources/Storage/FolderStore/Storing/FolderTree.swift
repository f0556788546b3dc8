internal import CaptureModel
internal import PosixSupport
internal import StorageKit

/// The folders of a library that one process writes: its lock, where each shot lies, and which names are durable. Shared by the threads
/// of manifests and of files; calls block on the disk.
final class FolderTree: Sendable {
    let root: Folder
    private let lock: FolderLock
    /// So that none is searched for while a shot waits.
    private let places: Locked<ShotPlaces>
    /// Folders whose names this process has made durable, as paths below the root.
    private let durable = Locked(Set<[String]>())

    /// Takes the lock and reads the names of all shots.
    /// - Throws: `FolderInUse` where another process writes the library; `PosixError`.
    init(_ reader: FolderReader) throws {
        root = reader.root
        lock = try reader.lock()
        places = Locked(try ShotPlaces(of: reader))
    }

    /// Names of the folders from the root to a shot's, or nil where there is none. One that the disk does not show passes for
    /// one that is there: whoever opens it is told why that cannot be done.
    func folderNames(of id: ShotID) -> [String]? {
        let names = places.withLock { $0.day(of: id) } + [id.description]
        do {
            return try root.folderIfPresent(names) == nil ? nil : names
        } catch {
            return names
        }
    }

    /// As ``folderNames(of:)``.
    /// - Throws: `notFound` where there is none.
    func shotFolderNames(of key: FileKey) throws(StorageError) -> [String] {
        guard let names = folderNames(of: key.capture.shot) else {
            throw StorageError(
                .notFound, "store", key, "the library \(root.path) has no shot \(key.capture.shot)")
        }
        return names
    }

    func note(_ id: ShotID, day: [String]) {
        places.withLock { $0.note(id, day: day) }
    }

    func forget(_ id: ShotID) {
        places.withLock { $0.forget(id) }
    }

    /// The folder at `names` below the root, created where missing, every name on the way durable.
    func durableFolder(_ names: [String]) throws(PosixError) -> Folder {
        var folder = root
        for (index, name) in names.enumerated() {
            let path = Array(names[...index])
            if isDurable(path) {
                folder = try folder.folder(name)
            } else {
                folder = try folder.makeDurableFolder(name)
                noteDurable([path])
            }
        }
        return folder
    }

    func isDurable(_ path: [String]) -> Bool { durable.withLock { $0.contains(path) } }

    func noteDurable(_ paths: [[String]]) {
        durable.withLock { $0.formUnion(paths) }
    }

    /// Forgets which folders of a shot are durable, once it is hardly written any more.
    func forgetDurable(of id: ShotID) {
        durable.withLock { paths in paths = paths.filter { $0.count < 4 || $0[3] != id.description } }
    }

    /// - Throws: `inputOutput` where the library's path does not lead to the folder that was opened.
    func check() throws(StorageError) {
        let lies: String
        switch try root.attempt({ () throws(PosixError) in try root.place() }) {
        case .own: return
        case .nothing: lies = "nothing lies"
        case .other: lies = "another folder lies"
        }
        throw StorageError(
            .inputOutput, "find", root.path,
            "the library \(root.path) was moved, replaced or unmounted while the coordinator runs: \(lies) at this path. Put the library's own folder back there, or start the coordinator again if the other is meant."
        )
    }
}
