public import CaptureModel
import CaptureSystem
public import PosixSupport
import ShotDocuments

/// Reads a library without its lock, also while a coordinator writes it: manifests and files appear whole or not at
/// all. Every call blocks on the disk.
public struct LibraryReader: Sendable {
    let root: Folder

    /// - Throws: Where the folder cannot be opened.
    public init(folder path: String, fault: FileFault? = nil) throws(PosixError) {
        root = try Folder(opening: path, fault: fault)
    }

    init(root: Folder) {
        self.root = root
    }

    /// The right to write the library: a coordinator's, or for moments that of who brings up its index. Held until the last
    /// reference to it goes.
    /// - Throws: `FolderInUse` where another process has it; `PosixError`.
    public func lock() throws -> FolderLock {
        try FolderLock(root)
    }

    /// The shot with this id, or nil.
    /// - Throws: `corrupted` where its manifest is damaged; `inputOutput`.
    public func shot(_ id: ShotID) throws(CaptureProblem) -> Shot? {
        guard let folder = try folder(of: id) else { return nil }
        return try readIfBegun(in: folder, id: id)
    }

    /// The path of a shot's folder, or nil where the library does not have it.
    public func path(of id: ShotID) throws(CaptureProblem) -> String? {
        try folder(of: id)?.path
    }

    /// The newest shots, newest day first and within a day by id, whose order is that of the requests.
    /// - Parameters:
    ///   - limit: How many at most, damaged ones included.
    ///   - before: Continue after this shot, as the last one of the listing before; an unknown one lists nothing.
    public func shots(limit: Int, before: ShotID? = nil) throws(CaptureProblem) -> ShotListing {
        var listing = ShotListing()
        var isSkipping = before != nil
        for names in try days() {
            let day = try open(names)
            for id in try shotIDs(in: day).reversed() {
                guard listing.shots.count + listing.damaged.count < limit else { return listing }
                if !isSkipping { append(id, of: day, to: &listing) }
                if id == before { isSkipping = false }
            }
        }
        return listing
    }

    /// Every shot without a result, oldest first.
    public func openShots() throws(CaptureProblem) -> ShotListing {
        var listing = try shots(limit: .max)
        listing.shots = listing.shots.filter { $0.status == .open }.reversed()
        return listing
    }

    private func append(_ id: ShotID, of day: Folder, to listing: inout ShotListing) {
        do {
            let folder = try open(id.description, in: day)
            if let shot = try readIfBegun(in: folder, id: id) {
                listing.shots.append(shot)
            } else {
                listing.unbegun.append(id)
            }
        } catch {
            let path = day.path(of: "\(id)/\(LibraryNames.manifest)")
            listing.damaged.append(DamagedManifest(path: path, reason: error.message))
        }
    }

    /// The shot of a folder; nil where the folder is what a crash has left of one whose first manifest was not written.
    func readIfBegun(in folder: Folder, id: ShotID) throws(CaptureProblem) -> Shot? {
        do throws(CaptureProblem) {
            return try read(in: folder, id: id)
        } catch {
            if try isUnbegun(folder) { return nil }
            throw error
        }
    }

    func read(in folder: Folder, id: ShotID) throws(CaptureProblem) -> Shot {
        let bytes = try folder.attempt { () throws(PosixError) in
            try folder.read(LibraryNames.manifest(in: folder), limit: ShotManifest.longest)
        }
        let shot = try ShotManifest.decode(bytes)
        guard shot.id == id else { throw CaptureProblem(.corrupted, "it is the manifest of shot \(shot.id)") }
        return shot
    }
}
