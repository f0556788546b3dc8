internal import CaptureModel
internal import FaultPoints
internal import PosixSupport
internal import StorageKit

/// Receives the files of one node into a library's folder, on a thread that few or no other nodes share.
///
/// An upload is a file under `.incoming/`. Its name contains the digest, so that bytes of one content are never continued with those of
/// another. Its hash is only in memory, so parts from an earlier process begin again.
actor NodeAssets {
    let node: NodeName
    let tree: FolderTree
    private let hasher: FolderHasher
    /// The uploads that are begun, including suspended ones. Bounded by the files of open shots and those that are tried again later.
    var uploads: [FileKey: IncomingFile] = [:]
    /// Keys that are being begun, with their content, while the file in their place is hashed.
    private var beginning: [FileKey: AssetContent] = [:]
    /// Files that were found in their place when they were begun again.
    var present: Set<FileKey> = []
    private nonisolated let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        node: NodeName, tree: FolderTree, hasher: FolderHasher, executor: ThreadExecutor
    ) {
        self.node = node
        self.tree = tree
        self.hasher = hasher
        self.executor = executor
    }

    private var root: Folder { tree.root }
    var incoming: Folder { tree.incoming.folder }
    var quarantine: Folder { tree.quarantine.folder }

    /// Continues an upload of this process; nil if there is none, or its part is gone.
    private func resume(_ key: FileKey, _ content: AssetContent) throws(StorageError) -> UploadStart? {
        guard var upload = uploads[key], upload.content == content else { return nil }
        if let part = upload.part {
            if try hasName(part, of: key, content) { return .resume(at: upload.offset) }
            uploads[key] = nil
            return nil
        }
        try checkRoom(for: content.byteCount - upload.offset, of: key)
        let isThere = try root.attempt { () throws(PosixError) in
            try upload.resume(incoming.open(FolderNames.part(key, content.digest), for: .appending))
        }
        uploads[key] = isThere ? upload : nil
        return isThere ? .resume(at: upload.offset) : nil
    }

    /// Whether an open part is still in the folder of parts.
    private func hasName(
        _ part: OpenFile, of key: FileKey, _ content: AssetContent
    ) throws(StorageError) -> Bool {
        try root.attempt { () throws(PosixError) in
            let found = try incoming.versionIfPresent(of: FolderNames.part(key, content.digest))
            return try found?.inode == part.version().inode
        }
    }

    /// Opens the part, without the bytes that an earlier process left in it.
    private func openPart(of key: FileKey, _ content: AssetContent) throws(PosixError) -> OpenFile {
        let name = FolderNames.part(key, content.digest)
        try removeParts(of: key, except: name)
        let part = try incoming.open(name, for: .appending)
        if try part.byteCount() > 0 { try part.setByteCount(0) }
        return part
    }

    /// Returns whether the file is in its place with this content.
    private func isPresent(_ key: FileKey, _ content: AssetContent) async throws(StorageError) -> Bool {
        let names = try tree.shotFolderNames(of: key) + [key.capture.device.folderName]
        let found = try root.attempt { () throws(PosixError) in try storedFile(names, key.kind.fileName) }
        guard let found else { return false }
        let digest = try await hash(of: found.file)
        guard found.byteCount == content.byteCount, digest == content.digest else {
            throw StorageError(
                .conflict, "store", key,
                "\(key) is in the library with other bytes: \(found.byteCount) of SHA-256 \(digest), "
                    + "the node offers \(content.byteCount) of \(content.digest); move the library's file away if the node's is right"
            )
        }
        return true
    }

    private func hash(of file: OpenFile) async throws(StorageError) -> ContentDigest {
        let result: Result<ContentDigest, PosixError>
        do throws(PosixError) {
            result = .success(try await hasher.digest(of: file))
        } catch {
            result = .failure(error)
        }
        return try root.attempt { () throws(PosixError) in try result.get() }
    }

    private func storedFile(_ folders: [String], _ name: String) throws(PosixError) -> (
        file: OpenFile, byteCount: Int64
    )? {
        guard let folder = try root.folderIfPresent(folders), try folder.entry(name) != nil else { return nil }
        let file = try folder.open(name, for: .reading)
        // A process that was stopped before its name was durable may have put it there.
        try folder.sync()
        return (file, try file.byteCount())
    }

    private func checkRoom(for byteCount: Int64, of key: FileKey) throws(StorageError) {
        let free = try root.checkRoom("store \(key) in", forFiles: FolderTree.filesOfUpload).freeBytes
        guard byteCount <= free else {
            throw StorageError(
                .noSpace, "store", key,
                "the disk of \(root.path) is full: \(key) needs \(byteCount) bytes, \(free) are free; free "
                    + "space on it, and the file is collected")
        }
    }

    private func removeParts(of key: FileKey, except kept: String?) throws(PosixError) {
        let prefix = FolderNames.partPrefix(key)
        for name in try incoming.names() where name.hasPrefix(prefix) && name != kept { try incoming.remove(name) }
    }
}

/// The node's share of an ``AssetStore``.
extension NodeAssets {
    func begin(_ key: FileKey, _ content: AssetContent) async throws(StorageError) -> UploadStart {
        guard content.byteCount >= 0 else {
            throw StorageError(.invalidRequest, "begin", key, "\(key) cannot have \(content.byteCount) bytes")
        }
        try tree.refresh()
        if let start = try resume(key, content) { return start }
        uploads[key] = nil
        present.remove(key)
        beginning[key] = content
        defer { if beginning[key] == content { beginning[key] = nil } }
        if try await isPresent(key, content) {
            present.insert(key)
            return .committed
        }
        // Other calls may have run since.
        if let start = try resume(key, content) { return start }
        guard beginning[key] == content else {
            throw StorageError(
                .inputOutput, "begin", key, "\(key) was begun again while its existing bytes were hashed")
        }
        let part = try root.attempt { () throws(PosixError) in try openPart(of: key, content) }
        try checkRoom(for: content.byteCount, of: key)
        uploads[key] = IncomingFile(part: part, content: content)
        return .resume(at: 0)
    }

    func append(_ bytes: any AssetBytes, to key: FileKey, at offset: Int64) throws(StorageError) -> Int64 {
        guard var upload = uploads[key], upload.part != nil else {
            throw StorageError(
                .invalidRequest, "append to", key, "bytes of \(key) were sent, but it is not being received")
        }
        let total = upload.content.byteCount
        guard offset == upload.offset, Int64(bytes.count) <= total - offset else {
            throw StorageError(
                .invalidRequest, "append to", key,
                "\(bytes.count) bytes at \(offset) of \(key) were sent; the library has \(upload.offset) of \(total)")
        }
        // Removed from the table while it changes, so that it is not copied.
        uploads[key] = nil
        defer { uploads[key] = upload }
        do throws(StorageError) {
            try root.attempt { () throws(PosixError) in try upload.append(bytes) }
        } catch {
            upload.rollBack()
            throw error
        }
        LibraryFault.chunkReceived.reached()
        return upload.durableOffset
    }

    func suspend(_ key: FileKey) {
        uploads[key]?.suspend()
    }

    func forget(_ key: FileKey) {
        uploads[key] = nil
        present.remove(key)
        // If a part cannot be removed, it is found when the file is begun again.
        try? removeParts(of: key, except: nil)
    }

    func forgetUploads(of shot: ShotID, except kept: Set<FileKey>) {
        let kept = kept.union(uploads.filter { $0.value.part != nil }.keys)
        for key in uploads.keys where key.capture.shot == shot && !kept.contains(key) { uploads[key] = nil }
        let prefixes = kept.map(FolderNames.partPrefix)
        removeParts { name, found in found == shot && !prefixes.contains(where: name.hasPrefix) }
    }

    func forgetUploads(exceptOf shots: Set<ShotID>) {
        uploads = uploads.filter { shots.contains($0.key.capture.shot) }
        removeParts { _, found in !shots.contains(found) }
    }

    /// Removes those of the node's parts that `isMeant` selects. One that cannot be removed is removed at the coordinator's next start.
    private func removeParts(_ isMeant: (_ name: String, _ shot: ShotID) -> Bool) {
        for name in (try? incoming.names()) ?? [] {
            guard let owner = FolderNames.owner(ofPart: name), owner.node == node, isMeant(name, owner.shot) else {
                continue
            }
            try? incoming.remove(name)
        }
    }

    func remove(_ key: FileKey) throws(StorageError) {
        present.remove(key)
        try root.attempt { () throws(PosixError) in
            guard let names = tree.folderNames(of: key.capture.shot),
                let folder = try root.folderIfPresent(names + [key.capture.device.folderName])
            else { return }
            try folder.remove(key.kind.fileName)
            try folder.sync()
        }
    }
}
