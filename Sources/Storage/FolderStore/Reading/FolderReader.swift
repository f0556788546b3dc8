public import CaptureModel
internal import Glibc
public import PosixSupport
internal import ShotDocuments
public import StorageKit

/// Reads a library's folder without its lock, also while a coordinator writes it. Manifests and files appear complete or not at all. Every
/// call blocks on the disk, on the caller's thread.
public struct FolderReader: Sendable {
    let root: Folder
    /// Returns `CLOCK_REALTIME` in nanoseconds: the kernel's clock, which timestamps the folders.
    let realtime: @Sendable () -> Int64

    /// - Throws: If the folder cannot be opened.
    public init(folder path: String, fault: FileFault? = nil) throws(PosixError) {
        self.init(root: try Folder(opening: path, fault: fault))
    }

    init(root: Folder) {
        self.root = root
        realtime = { FolderReader.kernelRealtime }
    }

    /// Takes the right to write the library. A coordinator holds it; a program that updates the index holds it for moments. Held until the
    /// last reference to it is released.
    /// - Throws: `FolderInUse` if another process has it; `PosixError`.
    public func lock() throws -> FolderLock {
        try FolderLock(root)
    }

    /// Returns the path of a shot's folder; nil if the library does not have it.
    public func path(of id: ShotID) throws(StorageError) -> String? {
        try folder(of: id)?.path
    }

    /// Returns the same as ``readIfBegun(in:id:)``. The error for a damaged manifest also names the file.
    func shotIfBegun(in folder: Folder, id: ShotID) throws(StorageError) -> Shot? {
        do throws(StorageError) {
            return try readIfBegun(in: folder, id: id)
        } catch {
            guard error.code == .corrupted else { throw error }
            throw StorageError(error.code, error.operation, error.subject, "\(error.subject): \(error.cause)")
        }
    }

    /// Returns the shot of a folder; nil if a crash left the folder before the shot's first manifest was written.
    func readIfBegun(in folder: Folder, id: ShotID) throws(StorageError) -> Shot? {
        guard let document = try documentIfBegun(in: folder) else { return nil }
        return try shot(in: document, of: folder, id: id)
    }

    /// Returns the stored manifest of a folder with its name; nil as above.
    func documentIfBegun(in folder: Folder) throws(StorageError) -> (name: String, bytes: [UInt8])? {
        do throws(StorageError) {
            return try folder.attempt { () throws(PosixError) in
                let name = try FolderNames.manifest(in: folder)
                return (name, try folder.read(name, limit: ShotManifest.longest))
            }
        } catch {
            if try isUnbegun(folder) { return nil }
            throw error
        }
    }

    private func shot(
        in document: (name: String, bytes: [UInt8]), of folder: Folder, id: ShotID
    ) throws(StorageError) -> Shot {
        let (name, bytes) = document
        let shot: Shot
        do throws(DocumentError) {
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

/// The folders of a library. Entries with other names are ignored.
extension FolderReader {
    /// The place of a shot.
    struct Place {
        /// `YYYY`, `MM`, `DD`
        var day: [String]
        var dayFolder: Folder
        var folder: Folder
    }

    /// Returns the place of a shot, or nil.
    func place(of id: ShotID) throws(StorageError) -> Place? {
        let likely = FolderNames.day(of: id)
        if let place = try place(of: id, on: likely) { return place }
        for day in try dayNames() where day != likely {
            if let place = try place(of: id, on: day) { return place }
        }
        return nil
    }

    private func place(of id: ShotID, on day: [String]) throws(StorageError) -> Place? {
        try root.attempt { () throws(PosixError) in
            guard let dayFolder = try root.folderIfPresent(day),
                let folder = try dayFolder.folderIfPresent(id.description)
            else { return nil }
            return Place(day: day, dayFolder: dayFolder, folder: folder)
        }
    }

    /// Returns the folder of a shot, or nil.
    func folder(of id: ShotID) throws(StorageError) -> Folder? {
        try place(of: id)?.folder
    }

    /// Returns the days of the library, newest first, as `YYYY`, `MM`, `DD`.
    func dayNames() throws(StorageError) -> [[String]] {
        var days: [[String]] = []
        for year in try numbers(digits: 4, in: root) {
            let yearFolder = try open([year])
            for month in try numbers(digits: 2, in: yearFolder) {
                let monthFolder = try open(month, in: yearFolder)
                days += try numbers(digits: 2, in: monthFolder).map { [year, month, $0] }
            }
        }
        return days
    }

    /// Opens the folder at a path of plain names below the root.
    func open(_ names: [String]) throws(StorageError) -> Folder {
        var folder = root
        for name in names { folder = try open(name, in: folder) }
        return folder
    }

    /// Returns the shots of a day in order of id, whether their manifests can be read or not.
    func shotIDs(in day: Folder) throws(StorageError) -> [ShotID] {
        try names(in: day).compactMap { name in ShotID(name).flatMap { $0.description == name ? $0 : nil } }
    }

    /// Returns whether a shot's folder has neither a manifest nor any asset, and at most the temporary file of a manifest.
    func isUnbegun(_ folder: Folder) throws(StorageError) -> Bool {
        try files(in: folder).allSatisfy { FolderNames.unfinishedManifests.contains($0) }
    }

    func open(_ name: String, in folder: Folder) throws(StorageError) -> Folder {
        try folder.attempt { () throws(PosixError) in try folder.folder(name) }
    }

    func names(in folder: Folder) throws(StorageError) -> [String] {
        try folder.attempt { () throws(PosixError) in try folder.names() }
    }

    /// Returns the names with this number of digits, highest first.
    private func numbers(digits: Int, in folder: Folder) throws(StorageError) -> [String] {
        try names(in: folder).reversed().filter { $0.utf8.count == digits && Self.isNumber($0) }
    }

    static func isNumber(_ name: String) -> Bool {
        name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension FolderReader {
    /// Returns the paths of everything in a shot's folder and the folders in it, except empty folders.
    func files(in folder: Folder) throws(StorageError) -> [String] {
        try folder.attempt { () throws(PosixError) in
            var paths: [String] = []
            for entry in try folder.entries() {
                guard entry.kind == .folder else {
                    paths.append(entry.name)
                    continue
                }
                for inner in try folder.folder(entry.name).names() { paths.append("\(entry.name)/\(inner)") }
            }
            return paths
        }
    }
}

extension FolderReader {
    /// The clock with which the kernel timestamps folders and files, in nanoseconds since 1970.
    static var kernelRealtime: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
