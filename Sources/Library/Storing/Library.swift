public import CaptureModel
import CaptureSystem
import FaultPoints
public import PosixSupport
import ShotDocuments

/// The rig's library on a local disk: manifests and files of shots, as a plain tree of folders.
///
/// What ``journal(_:)`` and ``finish(_:)`` have returned survives a crash and a power cut. One process at a time writes
/// a library; ``LibraryReader`` reads it beside. All work runs on the file executor, where it may block on the disk, but
/// for ``shots(limit:before:)`` and ``verify(_:)``, which keep nobody waiting.
public actor Library {
    let root: Folder
    let incoming: Folder
    let quarantine: Folder
    let reader: LibraryReader
    /// Files being received, by key.
    var receiving: [FileKey: IncomingFile] = [:]
    /// What is being begun with these bytes, while what lies there of it is hashed.
    var beginning: [FileKey: ContentDigest] = [:]
    /// Files found in place when they were to be received again.
    var present: Set<FileKey> = []

    private nonisolated let executor: FileExecutor
    private nonisolated let browser: LibraryBrowser
    let hasher: LibraryHasher
    private nonisolated let annotations: LibraryAnnotations
    private let lock: FolderLock
    /// So that none is searched for while a shot waits.
    private var places: ShotPlaces
    /// Folders whose names this process has made durable, as paths below the root.
    private var durableFolders: Set<[String]> = []

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Opens the library, creates it where missing, and takes its lock; nothing in it is changed. Blocks on the disk, for the
    /// time it takes to list the folders of all days.
    /// - Throws: `FolderInUse` where another process writes it; `PosixError`.
    public init(folder path: String, executor: FileExecutor, fault: FileFault? = nil) throws {
        root = try Folder.make(path, fault: fault)
        reader = LibraryReader(root: root)
        lock = try reader.lock()
        incoming = try root.makeDurableFolder(LibraryNames.incoming)
        quarantine = try root.makeDurableFolder(LibraryNames.quarantine)
        places = try ShotPlaces(of: reader)
        self.executor = executor
        hasher = LibraryHasher(executor: try FileExecutor(name: "library-hash"))
        browser = LibraryBrowser(reader: reader, executor: try FileExecutor(name: "library-read"))
        annotations = LibraryAnnotations(reader: reader, executor: try FileExecutor(name: "library-notes"))
    }

    /// Writes a shot's manifest and returns once it is durable; a crash leaves the manifest before or this one.
    /// - Throws: `noSpace`, `inputOutput`; the manifest before is kept then, but for a library that is not in its place.
    public func journal(_ shot: Shot) throws(CaptureProblem) {
        let manifest = try ShotManifest(shot: shot).encoded()
        let names = LibraryNames.folders(of: shot)
        try root.attempt { () throws(PosixError) in
            let folder = try durableFolder(names)
            try makeCaptureFolders(of: shot, in: folder, names)
            try folder.publish([manifest], as: LibraryNames.manifest(of: shot))
        }
        try checkPlace()
        LibraryFault.manifestDurable.reached()
        places.note(shot.id, day: Array(names.dropLast()))
        if shot.status == .open {
            durableFolders.formUnion(shot.captures.map { names + [$0.device.id.folderName] })
        } else {
            tidy(shot, names)
        }
    }

    /// Every shot without a result, oldest first, and the manifests that could not be read. What a crash has left of shots
    /// that never began is removed, and so are parts of files of shots with a result: such a file, where it still comes,
    /// is fetched anew.
    public func openShots() throws(CaptureProblem) -> ShotListing {
        let listing = try reader.openShots()
        for id in listing.unbegun { removeUnbegun(id) }
        if listing.damaged.isEmpty { removeParts(except: Set(listing.shots.map(\.id))) }
        return listing
    }

    private func removeUnbegun(_ id: ShotID) {
        guard let dayFolder = try? reader.open(places.day(of: id)), let folder = try? dayFolder.folder(id.description)
        else { return }
        for name in LibraryNames.unfinishedManifests { try? folder.remove(name) }
        for name in (try? folder.names()) ?? [] { try? folder.removeEmptyFolder(name) }
        try? dayFolder.removeEmptyFolder(id.description)
        places.forget(id)
    }

    /// The shot with this id, or nil.
    public func shot(_ id: ShotID) throws(CaptureProblem) -> Shot? {
        guard let names = folderNames(of: id) else { return nil }
        return try reader.readIfBegun(in: reader.open(names), id: id)
    }

    /// The newest shots; see ``LibraryReader/shots(limit:before:)``. Reads on a thread of its own.
    public nonisolated func shots(limit: Int, before: ShotID? = nil) async throws(CaptureProblem) -> ShotListing {
        try await browser.shots(limit: limit, before: before)
    }

    /// What people have written about a shot; see ``LibraryReader/annotation(of:)``. Reads on a thread of its own.
    public nonisolated func annotation(of id: ShotID) async throws(CaptureProblem) -> ShotAnnotation {
        try await annotations.annotation(of: id)
    }

    /// Changes what is written about a shot; see ``AnnotationWriter/edit(_:_:)``. Writes on a thread of its own.
    public nonisolated func annotate(
        _ id: ShotID, _ edit: ShotAnnotationEdit
    ) async throws(CaptureProblem) -> ShotAnnotation {
        try await annotations.edit(id, edit)
    }

    /// Hashes every file of a shot again; see ``LibraryReader/verify(_:)``. Reads on a thread of its own.
    public nonisolated func verify(_ id: ShotID) async throws(CaptureProblem) -> [VerifyFinding] {
        try await browser.verify(id)
    }

    /// What belongs to no shot; see ``LibraryReader/unclaimed()``. Reads on a thread of its own.
    public nonisolated func unclaimed() async throws(CaptureProblem) -> [VerifyFinding] {
        try await browser.unclaimed()
    }

    /// The path of a shot's folder, or nil where the library does not have it.
    public func path(of id: ShotID) -> String? {
        folderNames(of: id).map { root.path(of: $0.joined(separator: "/")) }
    }

    /// Names of the folders from the root to a shot's, or nil where there is none. One that the disk does not show passes for
    /// one that is there: whoever opens it is told why that cannot be done.
    func folderNames(of id: ShotID) -> [String]? {
        let names = places.day(of: id) + [id.description]
        do {
            return try root.folderIfPresent(names) == nil ? nil : names
        } catch {
            return names
        }
    }

    /// The folder at `names` below the root, created where missing, every name on the way durable.
    func durableFolder(_ names: [String]) throws(PosixError) -> Folder {
        var folder = root
        for (index, name) in names.enumerated() {
            let path = Array(names[...index])
            if durableFolders.contains(path) {
                folder = try folder.folder(name)
            } else {
                folder = try folder.makeDurableFolder(name)
                durableFolders.insert(path)
            }
        }
        return folder
    }

    /// Made before the manifest is published, whose folder sync makes their names durable too: one sync, before T,
    /// instead of one per camera after it.
    private func makeCaptureFolders(of shot: Shot, in folder: Folder, _ names: [String]) throws(PosixError) {
        guard shot.status == .open else { return }
        for capture in shot.captures where !durableFolders.contains(names + [capture.device.id.folderName]) {
            _ = try folder.makeFolder(capture.device.id.folderName)
        }
    }

    /// Takes away the folders of cameras that delivered nothing, and forgets the rest, since a settled shot is hardly
    /// written again. A late file makes its folder anew.
    private func tidy(_ shot: Shot, _ names: [String]) {
        let folder = try? reader.open(names)
        for capture in shot.captures where !capture.files.contains(where: { $0.digest != nil }) {
            try? folder?.removeEmptyFolder(capture.device.id.folderName)
        }
        durableFolders = durableFolders.filter { $0.count < 4 || $0[3] != shot.id.description }
    }
}
