internal import CaptureModel
internal import FaultPoints
internal import PosixSupport
internal import StorageKit

extension NodeAssets {
    /// A received file that is being put in place.
    private struct Placement {
        let key: FileKey
        let file: IncomingFile
        /// The name of its part under `.incoming/`.
        let part: String
        /// The names of its folders below the root.
        let folderNames: [String]
    }

    private typealias Outcome = Result<AssetLocation, StorageError>

    /// Checks completely received files, and puts them in place. If the bytes of one are not those announced, they are moved to
    /// `.quarantine/`.
    ///
    /// All bytes are durable before the first file appears in its place, and all names are durable on return. Each file and each folder is
    /// synced separately and concurrently, so that no other writes to the disk are waited for. While the library is not in its place, all
    /// keys fail with `inputOutput`; files that were put in place are found there later.
    func commit(_ keys: [FileKey]) -> [FileKey: Result<AssetLocation, StorageError>] {
        var outcomes: [FileKey: Outcome] = [:]
        var placements: [Placement] = []
        for key in keys {
            do throws(StorageError) {
                if let placement = try placement(of: key) { placements.append(placement) }
                outcomes[key] = .success(FolderNames.location(of: key))
            } catch {
                outcomes[key] = .failure(error)
            }
        }
        syncBytes(of: &placements, &outcomes)
        LibraryFault.bytesDurable.reached()
        attempt(&placements, &outcomes) { placement throws(PosixError) in
            let folder = try tree.durableCameraFolder(placement.folderNames)
            try incoming.renameWithoutReplacing(placement.part, in: folder, to: placement.key.kind.fileName)
        }
        LibraryFault.filesPlaced.reached()
        syncNames(of: &placements, &outcomes)
        LibraryFault.filesDurable.reached()
        do throws(StorageError) {
            try tree.check()
        } catch {
            for (key, outcome) in outcomes {
                if case .success = outcome { outcomes[key] = .failure(error) }
            }
        }
        return outcomes
    }

    /// Returns the file to put in place; nil if it is there already.
    private func placement(of key: FileKey) throws(StorageError) -> Placement? {
        if present.remove(key) != nil { return nil }
        guard let file = uploads[key], file.isComplete, file.part != nil else {
            let has =
                uploads[key].map { "the library has \($0.offset) of \($0.content.byteCount) bytes" }
                ?? "it was not begun"
            throw StorageError(.invalidRequest, "commit", key, "\(key) cannot be finished: \(has)")
        }
        uploads[key] = nil
        let part = FolderNames.part(key, file.content.digest)
        let (found, announced) = (file.foundDigest, file.content.digest)
        guard found == announced else { throw setAside(part, of: key, found: found, announced: announced) }
        let folderNames = try tree.shotFolderNames(of: key) + [key.capture.device.folderName]
        return Placement(key: key, file: file, part: part, folderNames: folderNames)
    }

    /// Syncs the bytes. A part whose sync failed is removed, so that it is fetched again: the kernel discards what it could not write, and
    /// would report success the second time.
    private func syncBytes(of placements: inout [Placement], _ outcomes: inout [FileKey: Outcome]) {
        let failures = Self.failures(of: placements.map(\.file)) { file throws(PosixError) in try file.sync() }
        let parts = Dictionary(zip(placements.map(\.part), failures)) { first, _ in first }
        attempt(&placements, &outcomes) { placement throws(PosixError) in
            guard let failure = parts[placement.part] ?? nil else { return }
            try? incoming.remove(placement.part)
            throw failure
        }
    }

    /// Syncs the names. If the sync of a folder fails, its files are removed and fetched again, for the same reason.
    private func syncNames(of placements: inout [Placement], _ outcomes: inout [FileKey: Outcome]) {
        let names = Array(Set(placements.map(\.folderNames)))
        let failures = Self.failures(of: names) { [tree] names throws(PosixError) in
            try tree.durableCameraFolder(names).sync()
        }
        let folders = Dictionary(zip(names, failures)) { first, _ in first }
        attempt(&placements, &outcomes) { placement throws(PosixError) in
            guard let failure = folders[placement.folderNames] ?? nil else { return }
            try? tree.durableCameraFolder(placement.folderNames).remove(placement.key.kind.fileName)
            throw failure
        }
    }

    /// Syncs all items concurrently, since a disk combines their flushes. One after another, four files take three times as long.
    private static func failures<Item: Sendable>(
        of items: [Item], _ sync: @escaping @Sendable (Item) throws(PosixError) -> Void
    ) -> [PosixError?] {
        BlockingCalls.map(items, threads: "sync") { item in
            do throws(PosixError) {
                try sync(item)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Performs a step for each file. A file whose step fails gets its outcome and takes no further step.
    private func attempt(
        _ placements: inout [Placement], _ outcomes: inout [FileKey: Outcome],
        _ step: (Placement) throws(PosixError) -> Void
    ) {
        placements = placements.filter { placement in
            do throws(StorageError) {
                try tree.root.attempt { () throws(PosixError) in try step(placement) }
                return true
            } catch {
                outcomes[placement.key] = .failure(error)
                return false
            }
        }
    }

    private func setAside(
        _ part: String, of key: FileKey, found: ContentDigest, announced: ContentDigest
    ) -> StorageError {
        do {
            try incoming.rename(part, in: quarantine, to: part)
        } catch {
            return StorageError(error)
        }
        return StorageError(
            .corrupted, "commit", key,
            "\(key) arrived with SHA-256 \(found) instead of the announced \(announced); its bytes are in \(quarantine.path(of: part))"
        )
    }
}
