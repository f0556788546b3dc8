public import PosixSupport
public import StorageKit

/// A library on a local disk: manifests and files of shots, as a plain tree of folders.
///
/// One process at a time writes it; ``FolderReader`` reads it beside. Each part works on a thread of its own, where it blocks on the
/// disk:
///
/// | part | thread | does |
/// |---|---|---|
/// | ``manifests`` | `library` | manifests, and whether files are there |
/// | ``assets`` | `files-0` to `files-31` | files as they come, of each node on another thread |
/// | – | `library-hash` | hashes files that are begun again and lie in their place |
/// | ``browser`` | `library-read` | listing and verifying, which may take long |
/// | ``notes`` | `library-notes` | titles and notes |
public struct FolderStore: Sendable {
    public let manifests: FolderShots
    public let assets: FolderAssets
    public let browser: FolderBrowser
    public let notes: FolderBrowser
    /// All of it, as those who run shots see it.
    public let library: ShotLibrary

    /// Opens the library, creates it where missing, and takes its lock; no shot in it is changed. Blocks on the disk, for the
    /// time it takes to list the folders of all days.
    /// - Throws: `FolderInUse` where another process writes it; `PosixError`.
    public init(folder path: String, fault: FileFault? = nil) throws {
        let reader = FolderReader(root: try Folder.make(path, fault: fault))
        let tree = try FolderTree(reader)
        let executor = try ThreadExecutor(name: "library")
        manifests = FolderShots(tree: tree, reader: reader, executor: executor)
        browser = FolderBrowser(reader: reader, executor: try ThreadExecutor(name: "library-read"))
        assets = try FolderAssets(
            tree: tree, browser: browser, hasher: FolderHasher(executor: try ThreadExecutor(name: "library-hash")),
            executor: executor)
        notes = FolderBrowser(reader: reader, executor: try ThreadExecutor(name: "library-notes"))
        library = ShotLibrary(
            store: manifests, assets: assets, stored: FolderBrowser(reader: reader, executor: executor),
            annotations: notes, reading: browser)
    }
}
