internal import CaptureModel
internal import Glibc
internal import PosixSupport

/// The tree of a library's small pictures, for the one program that may write it. Every call blocks on the disk.
///
/// Nothing is synced. Pictures that a power cut destroys are made again. An empty file that it leaves counts as missing.
struct PreviewStore {
    /// The free bytes on the disk that are left for photos.
    static let leastFreeBytes: Int64 = 64 << 20

    private let folder: LastingFolder
    private let library: Folder
    /// Held for as long as the folder is the one that was locked.
    private let lock: Locked<FolderLock?>

    var tree: PreviewTree { PreviewTree(root: root) }
    private var root: Folder { folder.folder }

    /// - Throws: `FolderInUse` if another program writes it; `PosixError`.
    init(library path: String) throws {
        // A library that was moved away is not made again at its old path.
        library = try Folder(opening: path)
        folder = try LastingFolder(PreviewNames.root, in: library)
        lock = Locked(try FolderLock(folder.folder))
    }

    /// Makes the tree again, empty, if somebody has removed it, and locks it.
    /// - Throws: `FolderInUse` if another program has locked it; `PosixError`. Nothing may be written then.
    func refresh() throws {
        guard try library.place() == .own else { return }
        try lock.withLock { lock in
            if try folder.refresh() { lock = nil }
            if lock == nil { lock = try FolderLock(root) }
        }
    }

    /// Returns the days in the tree, as `YYYY/MM/DD`.
    func days() throws(PosixError) -> [String] {
        var days: [String] = []
        for year in try folders(in: root, digits: 4) {
            for month in try folders(in: year.folder, digits: 2) {
                for day in try folders(in: month.folder, digits: 2) {
                    days.append("\(year.name)/\(month.name)/\(day.name)")
                }
            }
        }
        return days
    }

    /// Returns the shots of a day that have a folder.
    func shots(ofDay day: String) throws(PosixError) -> [ShotID] {
        guard let folder = try tree.folder([day]) else { return [] }
        return try folder.names().compactMap { name in ShotID(name).flatMap { $0.description == name ? $0 : nil } }
    }

    /// Returns the stamp of the manifest from which a shot's small pictures were made; nil if it is unknown.
    func stamp(of id: ShotID, day: String) throws(PosixError) -> String? {
        guard let folder = try tree.folder([day, id.description]), try tree.has(PreviewNames.stamp, in: folder) else {
            return nil
        }
        return String(decoding: try folder.read(PreviewNames.stamp, limit: 4096), as: UTF8.self)
    }

    func setStamp(_ stamp: String, of id: ShotID, day: String) throws(PosixError) {
        try put(Array(stamp.utf8), as: PreviewNames.stamp, in: made([day, id.description]))
    }

    /// Returns whether a file is finished: it has its pictures, or a file that says why not.
    func isFinished(_ key: FileKey, day: String) throws(PosixError) -> Bool {
        guard let folder = try tree.folder(of: key, day: day) else { return false }
        if try tree.has(PreviewNames.problem(of: key.kind), in: folder) { return true }
        for picture in SmallPicture.allCases {
            guard try tree.has(PreviewNames.picture(picture, of: key.kind), in: folder) else { return false }
        }
        return true
    }

    func put(_ pictures: [SmallPicture: [UInt8]], of key: FileKey, day: String) throws(PosixError) {
        let folder = try made(PreviewNames.folder(of: key, day: day))
        for (picture, bytes) in pictures {
            try put(bytes, as: PreviewNames.picture(picture, of: key.kind), in: folder)
        }
    }

    func put(_ problem: PictureProblem, of key: FileKey, day: String) throws(PosixError) {
        let folder = try made(PreviewNames.folder(of: key, day: day))
        try put(Array("\(problem)\n".utf8), as: PreviewNames.problem(of: key.kind), in: folder)
    }

    /// Removes everything of a shot, and the folders that are empty then.
    func remove(_ id: ShotID, day: String) throws(PosixError) {
        guard let dayFolder = try tree.folder([day]), let shot = try dayFolder.folderIfPresent(id.description) else {
            return
        }
        for entry in try shot.entries() {
            guard entry.kind == .folder else {
                try shot.remove(entry.name)
                continue
            }
            let camera = try shot.folder(entry.name)
            for name in try camera.names() { try camera.remove(name) }
            try shot.removeEmptyFolder(entry.name)
        }
        try dayFolder.removeEmptyFolder(id.description)
        let names = day.split(separator: "/").map(String.init)
        for depth in names.indices.reversed() {
            // Fails if the day has another shot.
            try? tree.folder([names[..<depth].joined(separator: "/")])?.removeEmptyFolder(names[depth])
        }
    }

    private func put(_ bytes: [UInt8], as name: String, in folder: Folder) throws(PosixError) {
        guard try root.room().usableBytes >= Self.leastFreeBytes else {
            throw PosixError(code: ENOSPC, operation: "keep \(Self.leastFreeBytes) bytes free beside", subject: name)
        }
        let temporary = name + ".tmp"
        do {
            try folder.open(temporary, for: .writing).write(bytes)
            try folder.rename(temporary, to: name)
        } catch {
            try? folder.remove(temporary)
            throw error
        }
    }

    private func made(_ paths: [String]) throws(PosixError) -> Folder {
        var folder = root
        for name in paths.flatMap({ $0.split(separator: "/") }) { folder = try folder.makeFolder(String(name)) }
        return folder
    }

    private func folders(in folder: Folder, digits: Int) throws(PosixError) -> [(name: String, folder: Folder)] {
        var found: [(String, Folder)] = []
        for entry in try folder.entries() where entry.kind == .folder && entry.name.utf8.count == digits {
            found.append((entry.name, try folder.folder(entry.name)))
        }
        return found
    }
}
