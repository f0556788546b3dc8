public import CaptureModel
public import PosixSupport
public import StorageKit

/// Copies of a library's shots in another folder that has the layout of a library, such as one that rsync keeps on another machine. Only reads,
/// on a separate thread. The folder is opened for each shot, since its file system may be mounted at any time.
public actor FolderCopies: ShotCopies {
    private let library: FolderReader
    private let path: String
    private nonisolated let executor: ThreadExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameter path: The folder with the copies.
    /// - Throws: If no thread can be created.
    public init(of library: FolderReader, in path: String) throws(PosixError) {
        self.library = library
        self.path = path
        executor = try ThreadExecutor(name: "copies")
    }

    public func shortfall(of shot: Shot) -> String? {
        do {
            return try difference(from: shot)
        } catch {
            return "the copy in \(path) cannot be read: \(error)"
        }
    }

    private func difference(from shot: Shot) throws -> String? {
        let copies = try FolderReader(folder: path)
        guard let place = try copies.place(of: shot.id) else { return "\(path) has no copy of it" }
        guard try !isLibrary(place, shot.id) else { return "\(path) is the library itself" }
        guard try copies.shotIfBegun(in: place.folder, id: shot.id) != nil else {
            return "the copy in \(place.folder.path) has no manifest"
        }
        return try missing(of: shot, in: copies)
    }

    /// Whether the folder of a shot is the one in the library, under another name.
    private func isLibrary(_ place: FolderReader.Place, _ id: ShotID) throws -> Bool {
        guard let own = try library.place(of: id) else { return false }
        let (copy, original) = (
            try place.dayFolder.version(of: id.description), try own.dayFolder.version(of: id.description)
        )
        return copy.device == original.device && copy.inode == original.inode
    }

    private func missing(of shot: Shot, in copies: FolderReader) throws -> String? {
        let files = shot.captures.flatMap { capture in
            capture.files.filter(\.isStored).map { (CaptureKey(shot: shot.id, device: capture.device.id), $0) }
        }
        // Lengths first, since they cost nothing.
        for (capture, file) in files {
            let key = FileKey(capture: capture, kind: file.kind)
            guard let byteCount = try copies.byteCount(of: key) else { return "the copy in \(path) lacks \(key)" }
            if let expected = file.byteCount, expected != byteCount {
                return "the copy of \(key) in \(path) has \(byteCount) bytes instead of \(expected)"
            }
        }
        for (capture, file) in files {
            let key = FileKey(capture: capture, kind: file.kind)
            guard let digest = file.digest, try copies.content(of: key)?.digest == digest else {
                return "the copy of \(key) in \(path) has other bytes"
            }
        }
        return nil
    }
}
