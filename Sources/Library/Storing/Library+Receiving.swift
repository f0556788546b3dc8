public import CaptureModel
internal import CaptureSystem
internal import Crypto
internal import FaultPoints
internal import PosixSupport

extension Library {
    /// Begins or resumes receiving a file of a shot that is in the library.
    /// - Parameters:
    ///   - byteCount: The file's size.
    ///   - digest: The SHA-256 the node announced.
    /// - Returns: How many bytes the library has, from which the node goes on; `byteCount` where it has all of them,
    ///   also in place from before.
    /// - Throws: `conflict` where a file with other bytes is in place; `noSpace`; `inputOutput`, also where it was begun again
    ///   meanwhile.
    public func beginReceiving(
        _ key: FileKey, byteCount: Int64, digest: ContentDigest
    ) async throws(CaptureProblem) -> Int64 {
        guard byteCount >= 0 else {
            throw CaptureProblem(.protocolViolation, "\(key) cannot have \(byteCount) bytes")
        }
        if let current = receiving[key], current.digest == digest, current.byteCount == byteCount {
            return current.offset
        }
        receiving[key] = nil
        present.remove(key)
        beginning[key] = digest
        defer { if beginning[key] == digest { beginning[key] = nil } }
        if try await isPresent(key, byteCount: byteCount, digest: digest) {
            present.insert(key)
            return byteCount
        }
        let part = LibraryNames.part(key, digest)
        let (opened, offset) = try root.attempt { () throws(PosixError) in
            try removeParts(of: key, except: part)
            return try openPart(part, byteCount: byteCount)
        }
        try checkRoom(for: byteCount - offset, of: key)
        let hash = offset == 0 ? SHA256() : try await hash(of: opened)
        // Others were let in meanwhile.
        if let current = receiving[key], current.digest == digest { return current.offset }
        guard beginning[key] == digest else {
            throw CaptureProblem(.inputOutput, "\(key) was begun again while what is here of it was hashed")
        }
        receiving[key] = IncomingFile(part: opened, byteCount: byteCount, digest: digest, offset: offset, hash: hash)
        return offset
    }

    /// Opens the part, with what an earlier attempt left of it.
    private func openPart(_ name: String, byteCount: Int64) throws(PosixError) -> (file: OpenFile, offset: Int64) {
        let part = try incoming.open(name, for: .appending)
        let offset = try part.byteCount()
        if offset <= byteCount { return (part, offset) }
        try part.setByteCount(0)
        return (part, 0)
    }

    private func hash(of file: OpenFile) async throws(CaptureProblem) -> SHA256 {
        let result: Result<SHA256, PosixError>
        do throws(PosixError) {
            result = .success(try await hasher.hash(of: file))
        } catch {
            result = .failure(error)
        }
        return try root.attempt { () throws(PosixError) in try result.get() }
    }

    /// Appends bytes to a file being received.
    /// - Parameter offset: Where they belong: the number of bytes the library has.
    /// - Returns: The number of bytes it has then.
    /// - Throws: `protocolViolation` where they belong elsewhere or are too many; after `noSpace` and `inputOutput` the
    ///   file is to be begun again, and goes on where it was.
    @discardableResult
    public func receive(_ key: FileKey, offset: Int64, bytes: [UInt8]) throws(CaptureProblem) -> Int64 {
        guard var file = receiving[key] else {
            throw CaptureProblem(.protocolViolation, "bytes of \(key) were sent, which is not being received")
        }
        guard offset == file.offset, Int64(bytes.count) <= file.byteCount - offset else {
            throw CaptureProblem(
                .protocolViolation,
                "\(bytes.count) bytes at \(offset) of \(key) were sent; the library has \(file.offset) of \(file.byteCount)"
            )
        }
        // Out of the table while it changes: after an error the part holds bytes that the hash does not know.
        receiving[key] = nil
        try root.attempt { () throws(PosixError) in try file.append(bytes) }
        receiving[key] = file
        LibraryFault.chunkReceived.reached()
        return file.offset
    }

    /// Lets go of a file that does not come at present. What was received of it stays, for when it is begun again.
    public func suspendReceiving(_ key: FileKey) {
        receiving[key] = nil
    }

    /// Forgets a file that is not coming any more and removes what was received of it.
    public func abandon(_ key: FileKey) {
        receiving[key] = nil
        present.remove(key)
        // A part that cannot be removed is found again when the file is begun again.
        try? removeParts(of: key, except: nil)
    }

    /// Removes what was received of a shot's files, but for these and those that are being received.
    public func removeParts(of shot: ShotID, except kept: Set<FileKey>) {
        let prefixes = kept.union(receiving.keys).map(LibraryNames.partPrefix)
        for name in (try? incoming.names()) ?? [] where name.hasPrefix("\(shot).") && name.hasSuffix(".part") {
            // One that cannot be removed goes with the coordinator's next start.
            if !prefixes.contains(where: name.hasPrefix) { try? incoming.remove(name) }
        }
    }

    /// Whether the file lies in its place with these bytes.
    private func isPresent(_ key: FileKey, byteCount: Int64, digest: ContentDigest) async throws(CaptureProblem) -> Bool
    {
        let names = try shotFolderNames(of: key) + [key.capture.device.folderName]
        let found = try root.attempt { () throws(PosixError) in try storedFile(names, key.kind.fileName) }
        guard let found else { return false }
        let foundDigest = ContentDigest(try await hash(of: found.file).finalize())
        guard found.byteCount == byteCount, foundDigest == digest else {
            throw CaptureProblem(
                .conflict,
                "\(key) is in the library with other bytes: \(found.byteCount) of SHA-256 \(foundDigest), "
                    + "offered were \(byteCount) of \(digest); move the library's file away if the node's is right")
        }
        return true
    }

    private func storedFile(_ folders: [String], _ name: String) throws(PosixError) -> (
        file: OpenFile, byteCount: Int64
    )? {
        guard let folder = try root.folderIfPresent(folders), try folder.entry(name) != nil else { return nil }
        let file = try folder.open(name, for: .reading)
        // It may have been put there by a process that was stopped before its name was durable.
        try folder.sync()
        return (file, try file.byteCount())
    }

    func shotFolderNames(of key: FileKey) throws(CaptureProblem) -> [String] {
        guard let names = folderNames(of: key.capture.shot) else {
            throw CaptureProblem(.protocolViolation, "the library \(root.path) has no shot \(key.capture.shot)")
        }
        return names
    }

    private func checkRoom(for byteCount: Int64, of key: FileKey) throws(CaptureProblem) {
        let free = try root.attempt { () throws(PosixError) in try root.freeBytes() }
        guard byteCount <= free else {
            throw CaptureProblem(
                .noSpace,
                "the disk of \(root.path) is full: \(key) needs \(byteCount) bytes, \(free) are free; free "
                    + "space on it, and the file is collected")
        }
    }

    /// Removes the parts of files of other shots than these.
    func removeParts(except shots: Set<ShotID>) {
        for name in (try? incoming.names()) ?? [] where name.hasSuffix(".part") {
            let id = name.split(separator: ".").first.flatMap { ShotID(String($0)) }
            if let id, !shots.contains(id) { try? incoming.remove(name) }
        }
    }

    private func removeParts(of key: FileKey, except kept: String?) throws(PosixError) {
        let prefix = LibraryNames.partPrefix(key)
        for name in try incoming.names() where name.hasPrefix(prefix) && name != kept { try incoming.remove(name) }
    }
}
