public import CaptureModel
public import PosixSupport
internal import StorageKit

/// Reads the small pictures that a library has, on a thread of its own. Another part or program may make some at the same time.
public actor PreviewReader {
    private nonisolated let executor: ThreadExecutor
    private let folder: String
    private let fault: FileFault?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameter folder: The folder that contains the folder of small pictures, such as the library's.
    /// - Throws: If no thread can be created.
    public init(folder: String, fault: FileFault? = nil) throws(PosixError) {
        self.folder = folder
        self.fault = fault
        executor = try ThreadExecutor(name: "previews-read")
    }

    /// Returns a small picture of a file, a JPEG of at most `SmallPicture.byteLimit` bytes; nil if it is not made yet.
    /// - Throws: ``PictureProblem`` if none can be made of this file; `StorageError` with `inputOutput`.
    public func picture(_ picture: SmallPicture, of file: PicturedFile) throws -> [UInt8]? {
        do {
            // Looked up each time, since the library may be moved and put back.
            let library = try Folder(opening: folder, fault: fault)
            guard let root = try library.folderIfPresent(PreviewNames.root) else { return nil }
            let tree = PreviewTree(root: root)
            if let bytes = try tree.picture(picture, of: file.key, day: file.day) { return bytes }
            if let problem = try tree.problem(of: file.key, day: file.day) {
                throw PictureProblem(description: problem)
            }
            return nil
        } catch let error as PosixError {
            throw StorageError(
                .inputOutput, "read", file.key, "a small picture of \(file.key) cannot be read: \(error)")
        }
    }
}
