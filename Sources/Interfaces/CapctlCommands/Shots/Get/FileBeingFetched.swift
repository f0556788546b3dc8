internal import CaptureModel
internal import PosixSupport
internal import RigClient

/// A file that is being fetched: `NAME.part`. It gets its name when it is complete, compared and durable. Fetching
/// continues from what an earlier process has left.
final class FileBeingFetched {
    private let folder: Folder
    private let name: String
    private let file: OpenFile
    private var hash: AssetHash

    private var partName: String { name + ".part" }

    /// - Parameter limit: If the part has more bytes, it does not belong to the file, and fetching begins again.
    /// - Throws: `PosixError`; `CommandFailure` if another process fetches the same file.
    init(_ name: String, in folder: Folder, limit: Int64) throws {
        (self.folder, self.name) = (folder, name)
        let partName = name + ".part"
        file = try folder.open(partName, for: .appending)
        // Another process may have held the lock and given the file its name before that.
        guard try file.version().isRegular, try file.tryLock(),
            try folder.versionIfPresent(of: partName)?.inode == file.version().inode
        else {
            throw CommandFailure(
                .failed, "\(folder.path(of: partName)) is in use; another capctl may be fetching the file")
        }
        if try file.byteCount() > limit { try file.setByteCount(0) }
        hash = try Self.hash(of: file)
    }

    /// Whether the folder has the file with the content of its manifest; nil if it has no file of this name.
    static func compare(_ name: String, in folder: Folder, with asset: StoredAsset) throws(PosixError) -> Bool? {
        guard let version = try folder.versionIfPresent(of: name) else { return nil }
        guard version.isRegular, version.byteCount == asset.byteCount else { return false }
        return try hash(of: folder.open(name, for: .reading)).digest == asset.digest
    }

    /// Fetches the missing bytes and gives the file its name.
    /// - Throws: `RigClientError`, `PosixError`. The part is kept, unless it is empty or its bytes are wrong.
    func fetch(
        _ asset: StoredAsset, from client: RigClient, _ progress: (_ done: Int64, _ size: Int64) -> Void
    ) async throws {
        do {
            let isContinued = hash.byteCount > 0
            do {
                try await read(asset, from: client, progress)
            } catch let error as RigClientError where error.code == .altered && isContinued {
                // The part may have bytes of another file, or other bytes than were written before a power cut.
                try restart()
                try await read(asset, from: client, progress)
            }
        } catch let error as RigClientError {
            if try error.code == .altered || file.byteCount() == 0 { try folder.remove(partName) }
            throw error
        }
        try file.sync()
        try folder.renameWithoutReplacing(partName, to: name)
        try folder.sync()
    }

    private func read(
        _ asset: StoredAsset, from client: RigClient, _ progress: (_ done: Int64, _ size: Int64) -> Void
    ) async throws {
        var done = hash.byteCount
        try await client.read(asset, after: hash) { bytes in
            try file.write(bytes)
            done += Int64(bytes.count)
            progress(done, asset.byteCount)
        }
    }

    private func restart() throws(PosixError) {
        try file.setByteCount(0)
        hash = AssetHash()
    }

    private static func hash(of file: OpenFile) throws(PosixError) -> AssetHash {
        var hash = AssetHash()
        while true {
            let bytes = try file.read(at: hash.byteCount, count: 1 << 20)
            guard !bytes.isEmpty else { return hash }
            hash.update(bytes)
        }
    }
}
