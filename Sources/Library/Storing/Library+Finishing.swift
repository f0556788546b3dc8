public import CaptureModel
internal import CaptureSystem
internal import FaultPoints
internal import PosixSupport

extension Library {
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

    private typealias Outcome = Result<String, CaptureProblem>

    /// Checks a file that was received in full, puts it in place and returns once it is durable there.
    /// - Returns: Its path inside the shot's folder.
    /// - Throws: `corrupted` where the bytes are not those announced; they are moved to `.quarantine/` and the file can
    ///   be begun again. `protocolViolation` where bytes are missing; `noSpace`, `inputOutput`.
    public func finish(_ key: FileKey) throws(CaptureProblem) -> String {
        guard let outcome = finish([key])[key] else {
            throw CaptureProblem(.inputOutput, "\(key) was not finished")
        }
        return try outcome.get()
    }

    /// Does for each of several files what ``finish(_:)-(FileKey)`` does, and waits for the disk once for all of them.
    ///
    /// The bytes of all are durable before the first one shows in its place, and all names are durable on return. While the
    /// library is not in its place, all fail with `inputOutput`; what was put in place is found there later.
    public func finish(_ keys: [FileKey]) -> [FileKey: Result<String, CaptureProblem>] {
        var outcomes: [FileKey: Outcome] = [:]
        var placements: [Placement] = []
        for key in keys {
            do throws(CaptureProblem) {
                if let placement = try placement(of: key) { placements.append(placement) }
                outcomes[key] = .success(LibraryNames.path(key.capture.device, key.kind))
            } catch {
                outcomes[key] = .failure(error)
            }
        }
        let isJoint = placements.count >= Self.jointSyncCount
        syncBytes(of: &placements, isJoint, &outcomes)
        LibraryFault.bytesDurable.reached()
        attempt(&placements, &outcomes) { placement throws(PosixError) in
            let folder = try durableFolder(placement.folderNames)
            try incoming.rename(placement.part, in: folder, to: placement.key.kind.fileName, isExclusive: true)
        }
        LibraryFault.filesPlaced.reached()
        syncNames(of: &placements, isJoint, &outcomes)
        LibraryFault.filesDurable.reached()
        do throws(CaptureProblem) {
            try checkPlace()
        } catch {
            for (key, outcome) in outcomes {
                if case .success = outcome { outcomes[key] = .failure(error) }
            }
        }
        return outcomes
    }

    /// What is to be put in place; nil where the file lies there already.
    private func placement(of key: FileKey) throws(CaptureProblem) -> Placement? {
        if present.remove(key) != nil { return nil }
        guard let file = receiving[key], file.isComplete else {
            let has =
                receiving[key].map { "the library has \($0.offset) of \($0.byteCount) bytes" } ?? "it was not begun"
            throw CaptureProblem(.protocolViolation, "\(key) cannot be finished: \(has)")
        }
        receiving[key] = nil
        let part = LibraryNames.part(key, file.digest)
        let found = file.foundDigest
        guard found == file.digest else { throw setAside(part, of: key, found: found, announced: file.digest) }
        let folderNames = try shotFolderNames(of: key) + [key.capture.device.folderName]
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
                if !isJoint { try durableFolder(placement.folderNames).sync() }
            } catch {
                try? durableFolder(placement.folderNames).remove(placement.key.kind.fileName)
                throw error
            }
        }
    }

    private func syncFileSystem() -> PosixError? {
        do throws(PosixError) {
            try root.syncFileSystem()
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
            do throws(CaptureProblem) {
                try root.attempt { () throws(PosixError) in try step(placement) }
                return true
            } catch {
                outcomes[placement.key] = .failure(error)
                return false
            }
        }
    }

    private func setAside(
        _ part: String, of key: FileKey, found: ContentDigest, announced: ContentDigest
    ) -> CaptureProblem {
        do {
            try incoming.rename(part, in: quarantine, to: part)
        } catch {
            return CaptureProblem(error)
        }
        return CaptureProblem(
            .corrupted,
            "\(key) arrived with SHA-256 \(found), announced was \(announced); its bytes are in \(quarantine.path(of: part))"
        )
    }
}
