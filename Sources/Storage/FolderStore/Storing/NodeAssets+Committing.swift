internal import CaptureModel
internal import FaultPoints
internal import PosixSupport
internal import StorageKit

extension NodeAssets {
    /// From how many files on one sync of the file system is cheaper than one of each file and folder.
    static let jointSyncCount = 3

    /// A received file on its way into its place.
    private struct Placement {
        let key: FileKey
        let file: IncomingFile
        /// The name of its part under `.incoming/`.
        let part: String
        /// Where it belongs, as names below the root.
        let folderNames: [String]
    }

    private typealias Outcome = Result<AssetLocation, StorageError>

    /// Checks files that were received in full, puts them in place, and waits for the disk once for all of them. The bytes of one that is
    /// not what was announced are moved to `.quarantine/`.
    ///
    /// The bytes of all are durable before the first one shows in its place, and all names are durable on return. While the
    /// library is not in its place, all fail with `inputOutput`; what was put in place is found there later.
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
        let isJoint = placements.count >= Self.jointSyncCount
        syncBytes(of: &placements, isJoint, &outcomes)
        LibraryFault.bytesDurable.reached()
        attempt(&placements, &outcomes) { placement throws(PosixError) in
            let folder = try tree.durableFolder(placement.folderNames)
            try incoming.rename(placement.part, in: folder, to: placement.key.kind.fileName, isExclusive: true)
        }
        LibraryFault.filesPlaced.reached()
        syncNames(of: &placements, isJoint, &outcomes)
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

    /// What is to be put in place; nil where the file lies there already.
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

    /// A part that could not be made durable is fetched anew: the kernel forgets what it could not write, and would
    /// report success the second time.
    private func syncBytes(of placements: inout [Placement], _ isJoint: Bool, _ outcomes: inout [FileKey: Outcome]) {
        let joint: PosixError? = isJoint ? syncFileSystem() : nil
        attempt(&placements, &outcomes) { placement throws(PosixError) in
            do throws(PosixError) {
                if let joint { throw joint }
                if !isJoint { try placement.file.sync() }
            } catch {
                try? incoming.remove(placement.part)
                throw error
            }
        }
    }

    /// A name that could not be made durable is taken away again and the file fetched anew, for the same reason.
    private func syncNames(of placements: inout [Placement], _ isJoint: Bool, _ outcomes: inout [FileKey: Outcome]) {
        let joint: PosixError? = isJoint && !placements.isEmpty ? syncFileSystem() : nil
        attempt(&placements, &outcomes) { placement throws(PosixError) in
            do throws(PosixError) {
                if let joint { throw joint }
                if !isJoint { try tree.durableFolder(placement.folderNames).sync() }
            } catch {
                try? tree.durableFolder(placement.folderNames).remove(placement.key.kind.fileName)
                throw error
            }
        }
    }

    private func syncFileSystem() -> PosixError? {
        do throws(PosixError) {
            try tree.root.syncFileSystem()
            return nil
        } catch {
            return error
        }
    }

    /// Does a step for each file; one that fails gets its outcome and takes no further step.
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
            "\(key) arrived with SHA-256 \(found), announced was \(announced); its bytes are in \(quarantine.path(of: part))"
        )
    }
}
