internal import CaptureModel
internal import PosixSupport
internal import StorageKit

/// The folders of a library that one process writes: its lock, the place of each shot, and the durable names. Shared by the threads of
/// manifests and files. Calls block on the disk.
final class FolderTree: Sendable {
    let root: Folder
    /// Where files arrive.
    let incoming: LastingFolder
    /// Where files are kept that arrived with other bytes than announced.
    let quarantine: LastingFolder
    private let lock: FolderLock
    /// In memory, so that no shot waits for a search.
    private let places: Locked<ShotPlaces>
    /// Folders whose names this process has made durable, as paths below the root.
    private let durable = Locked(Set<[String]>())
    private let mishaps = Locked<Mishap?>(nil)

    /// Takes the lock and reads the names of all shots.
    /// - Throws: `FolderInUse` if another process writes the library; `PosixError`.
    init(_ reader: FolderReader) throws {
        root = reader.root
        lock = try reader.lock()
        try root.checkPublishing(
            of: "the library",
            remedy: "set library.folder (--library) to a folder on another disk, such as one of ext4, xfs or btrfs")
        incoming = try LastingFolder(FolderNames.incoming, in: root)
        quarantine = try LastingFolder(FolderNames.quarantine, in: root)
        places = Locked(try ShotPlaces(of: reader))
    }

    /// The files and folders that must be possible on the disk before a shot is begun, and before a file is received. A disk that runs out of
    /// inodes while a shot is stored fails its files later, like one that runs out of bytes.
    static let filesOfShot: Int64 = 64
    static let filesOfUpload: Int64 = 2

    /// A folder that somebody removed while the coordinator runs.
    private struct Mishap: Sendable {
        var text: String
        /// `CLOCK_REALTIME` when it was noticed; nil until somebody asked.
        var told: Int64?
    }

    private static let mishapLifetime: Int64 = 60_000_000_000

    /// Makes `.incoming` and `.quarantine` again if somebody has removed them.
    func refresh() throws(StorageError) {
        for folder in [incoming, quarantine] {
            guard try root.attempt({ () throws(PosixError) in try folder.refresh() }) else { continue }
            let text =
                "the folder \(folder.path) was removed, moved or replaced while the coordinator runs; it was made again, and files that were "
                + "being received are fetched again from the start. Leave it in place while the coordinator runs"
            mishaps.withLock { $0 = Mishap(text: text) }
        }
    }

    /// Returns what was lost and put right within the last minute, as a sentence; nil if there is nothing.
    func mishap(at realtimeNanoseconds: Int64) -> String? {
        mishaps.withLock { mishap in
            guard let found = mishap else { return nil }
            let told = found.told ?? realtimeNanoseconds
            // Also if the wall clock was set back.
            let isRecent = (0..<Self.mishapLifetime).contains(realtimeNanoseconds - told)
            mishap = isRecent ? Mishap(text: found.text, told: told) : nil
            return mishap?.text
        }
    }

    /// Returns the names of the folders from the root to a shot's; nil if the shot has no folder. If the disk fails, the folder counts as
    /// existing, so that opening it reports the error.
    func folderNames(of id: ShotID) -> [String]? {
        let names = places.withLock { $0.day(of: id) } + [id.description]
        do {
            return try root.folderIfPresent(names) == nil ? nil : names
        } catch {
            return names
        }
    }

    /// Returns the same names as ``folderNames(of:)``.
    /// - Throws: `notFound` if the shot has no folder.
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

    /// Returns the folder at `names` below the root. Creates it if it is missing, and makes every name on the path durable.
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

    /// Returns the folder at `names` below the root, the last of which is the folder of a camera. Creates and makes durable that one alone: the
    /// folder of a shot has a durable name since its first manifest, and one that is not there was deleted.
    func durableCameraFolder(_ names: [String]) throws(PosixError) -> Folder {
        guard let name = names.last else { return root }
        let shot = try root.folder(Array(names.dropLast()))
        guard !isDurable(names) else { return try shot.folder(name) }
        let folder = try shot.makeDurableFolder(name)
        noteDurable([names])
        return folder
    }

    func isDurable(_ path: [String]) -> Bool { durable.withLock { $0.contains(path) } }

    func noteDurable(_ paths: [[String]]) {
        durable.withLock { $0.formUnion(paths) }
    }

    /// Forgets which folders of a shot are durable, once it is rarely written.
    func forgetDurable(of id: ShotID) {
        durable.withLock { paths in paths = paths.filter { $0.count < 4 || $0[3] != id.description } }
    }

    /// - Throws: `inputOutput` if the library's path does not lead to the folder that was opened.
    func check() throws(StorageError) {
        let lies: String
        switch try root.attempt({ () throws(PosixError) in try root.place() }) {
        case .own: return
        case .nothing: lies = "there is nothing"
        case .other: lies = "there is another folder"
        }
        throw StorageError(
            .inputOutput, "find", root.path,
            "the library \(root.path) was moved, replaced or unmounted while the coordinator runs: \(lies) at this path. Restore the library's folder there, or restart the coordinator to use the other folder."
        )
    }
}

extension Folder {
    /// Checks that files can be created on the file system of this folder.
    /// - Parameter operation: As it reads after "cannot" and before the folder's path.
    /// - Returns: What the file system has left.
    @discardableResult
    func checkRoom(_ operation: String, forFiles count: Int64) throws(StorageError) -> FileSystemRoom {
        let room = try attempt { () throws(PosixError) -> FileSystemRoom in try self.room() }
        guard let obstacle = room.obstacle(toCreating: count) else { return room }
        throw StorageError(
            obstacle == .readOnly ? .inputOutput : .noSpace, operation, path,
            "cannot \(operation) the library \(path): its disk \(obstacle)")
    }
}

/// Hashes files of a node that are in the library already, on a separate thread. Hashing a long movie takes minutes, and no arriving file
/// waits for it.
actor FolderHasher {
    private nonisolated let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(executor: ThreadExecutor) {
        self.executor = executor
    }

    func digest(of file: OpenFile) throws(PosixError) -> ContentDigest { try file.digest() }
}
