public import CaptureModel
internal import FaultPoints
internal import OpenSSL
public import PosixSupport

/// Files that are made after their capture was stored.
///
/// ```
///  store(owed: [k]) ──▶ owed ── make(k), add(k) ──▶ stored ── release(k) ──▶ gone
///                         └──── giveUp(k), or the process ends ──▶ failed ── forgetFailure(k) ──▶ gone
/// ```
///
/// Each arrow is one durable manifest. No manifest names a file that is being made, so the next start removes it.
extension Spool {
    /// Makes an owed file and returns its size and digest. Blocks on the disk, on the calling thread, so that no other capture waits for
    /// it.
    /// - Parameters:
    ///   - failure: Converts an error of the spool's disk into the caller's error.
    ///   - write: Writes the file durably under this name in this folder.
    /// - Throws: What `write` throws, and `failure` of `inputOutput`. Nothing is left of the file then.
    public nonisolated func make<Failure: Error>(
        _ key: FileKey, failing failure: (SpoolError) -> Failure,
        _ write: (Folder, String) throws(Failure) -> Void
    ) throws(Failure) -> SpooledFile {
        do throws(Failure) {
            try write(captures, SpoolNames.file(key.capture, key.kind))
        } catch {
            discardUnfinished(key)
            throw error
        }
        do throws(SpoolError) {
            return try describe(key)
        } catch {
            discardUnfinished(key)
            throw failure(error)
        }
    }

    /// Returns the path of a file, whether it exists or not.
    public nonisolated func path(of key: FileKey) -> String {
        captures.path(of: SpoolNames.file(key.capture, key.kind))
    }

    /// Makes an owed file that ``make(_:failing:_:)`` has written part of its capture. Returns once that is durable.
    /// - Returns: The capture with it; nil if the file is not owed, since it was given up or the capture was discarded. The file is then
    ///   removed.
    /// - Throws: `noSpace`, `inputOutput`; the file is still owed. It stays until ``giveUp(_:of:_:)``, since the manifest that names it may
    ///   have reached the disk.
    public func add(
        _ file: SpooledFile, to key: CaptureKey, clip: ClipTiming? = nil
    ) throws(SpoolError) -> CaptureReport? {
        let fileKey = FileKey(capture: key, kind: file.kind)
        guard var report = reports[key], report.owed.contains(file.kind) else {
            let stored = reports[key]?.files.first { $0.kind == file.kind }
            if stored == nil { discardUnfinished(fileKey) }
            removeUnowedDeferred(key)
            return stored == file ? reports[key] : nil
        }
        report.owed.removeAll { $0 == file.kind }
        report.files.append(file)
        report.clip = clip ?? report.clip
        try replace(report)
        reports[key] = report
        storedBytes += file.byteCount
        SpoolFault.companionDurable.reached()
        removeUnowedDeferred(key)
        return report
    }

    /// Records durably that an owed file will not be made, and why.
    ///
    /// If this cannot be written, it is known until the process ends. The next start then reports that the process ended, or finds the file
    /// complete. The file stays until the failure is written.
    /// - Returns: The capture with its failure; nil if the file is not owed.
    public func giveUp(_ kind: AssetKind, of key: CaptureKey, _ problem: RigProblem) -> CaptureReport? {
        guard var report = reports[key], report.owed.contains(kind) else {
            removeUnowedDeferred(key)
            return nil
        }
        report.owed.removeAll { $0 == kind }
        report.failed.append(FailedFile(kind: kind, problem: problem))
        reports[key] = report
        try? replace(report)
        SpoolFault.companionGivenUp.reached()
        removeUnowedDeferred(key)
        return report
    }

    /// Removes an unfinished file. If it cannot be removed, the next start removes it.
    nonisolated func discardUnfinished(_ key: FileKey) {
        try? captures.remove(SpoolNames.file(key.capture, key.kind))
    }

    nonisolated func describe(_ name: String, as kind: AssetKind) throws(SpoolError) -> SpooledFile {
        try captures.attempt { () throws(PosixError) in
            let file = try captures.open(name, for: .reading)
            var hash = SHA256()
            var byteCount: Int64 = 0
            while true {
                let bytes = try file.read(at: byteCount, count: 1 << 20)
                guard !bytes.isEmpty else { break }
                hash.update(bytes)
                byteCount += Int64(bytes.count)
            }
            return SpooledFile(kind: kind, byteCount: byteCount, digest: ContentDigest(hash.finalize()))
        }
    }
}

extension Spool {
    /// Returns up to `count` bytes of a file from `offset`; fewer at its end, none beyond.
    /// - Throws: `notFound` if the spool does not have the file; `inputOutput`.
    public func read(_ key: FileKey, offset: Int64, count: Int) throws(SpoolError) -> [UInt8] {
        guard let file = file(key) else {
            throw SpoolError(
                .notFound, "read", key, "the spool \(captures.path) has no \(key.kind) of \(key.capture)")
        }
        let name = SpoolNames.file(key.capture, file.kind)
        guard try captures.attempt({ () throws(PosixError) in try captures.entry(name) }) != nil else {
            throw SpoolError(
                .notFound, "read", key, "\(captures.path(of: name)) was removed by somebody else")
        }
        return try captures.attempt { () throws(PosixError) in
            try captures.open(name, for: .reading).read(at: offset, count: count)
        }
    }

    /// Removes a file that the library has stored durably. With its last file the capture is removed.
    ///
    /// It is not an error if the file does not exist, since an acknowledgement may be repeated.
    /// - Parameter digest: The digest of what the library stored.
    /// - Throws: `conflict` if the digest is not this file's, which then stays; `inputOutput`; a repeat finishes the work.
    public func release(_ key: FileKey, digest: ContentDigest) throws(SpoolError) {
        guard let file = file(key), var report = reports[key.capture] else { return }
        guard file.digest == digest else {
            throw SpoolError(
                .conflict, "release", key,
                "\(key) is kept in the spool: the library stored \(digest), but its SHA-256 is \(file.digest)")
        }
        report.files.removeAll { $0.kind == key.kind }
        // The manifest durably stops naming the file before the file is removed. A crash in between leaves a file that no manifest names,
        // which the next start removes.
        try replace(report)
        try captures.attempt { () throws(PosixError) in
            try captures.remove(SpoolNames.file(key.capture, key.kind))
        }
        reports[key.capture] = report.isSpent ? nil : report
        storedBytes -= file.byteCount
        SpoolFault.fileReleased.reached()
    }

    /// Forgets that a file of a capture failed, once the library's manifest says so. Harmless if it did not fail. If the capture has
    /// nothing else, it is removed, except for recorded data, which is kept for people: see ``setAside(_:of:)``.
    /// - Throws: `inputOutput`, `noSpace`; a repeat finishes the work.
    public func forgetFailure(_ key: FileKey) throws(SpoolError) {
        guard var report = reports[key.capture], report.failed.contains(where: { $0.kind == key.kind }) else { return }
        if let segment = report.lostSegment(of: key.kind) {
            // Only files that no manifest names as stored are moved. Once the failure is forgotten, nothing refers to them.
            try replace(report)
            try setAside(segment, of: key.capture)
        }
        report.failed.removeAll { $0.kind == key.kind }
        try replace(report)
        discardUnfinished(key)
        reports[key.capture] = report.isSpent ? nil : report
    }

    /// Writes a report as the durable manifest of its capture, or removes the manifest if the report is empty. After that no manifest names
    /// failed files, so they are removed or set aside.
    func replace(_ report: CaptureReport) throws(SpoolError) {
        let name = SpoolNames.manifest(report.key)
        let manifest = report.isSpent ? nil : try CaptureManifest(capture: report).encoded()
        try captures.attempt { () throws(PosixError) in
            if let manifest {
                try captures.publish([manifest], as: name)
            } else {
                try captures.remove(name)
                try captures.sync()
            }
        }
        for kind in report.failed.map(\.kind) {
            if let segment = report.lostSegment(of: kind) {
                _ = try? setAside(segment, of: report.key)
            } else {
                discardUnfinished(FileKey(capture: report.key, kind: kind))
            }
        }
    }

    private func file(_ key: FileKey) -> SpooledFile? {
        reports[key.capture]?.files.first { $0.kind == key.kind }
    }
}

extension CaptureReport {
    /// Returns the segment of a recording that a kind belongs to, if its movie failed.
    fileprivate func lostSegment(of kind: AssetKind) -> SegmentNumber? {
        kind.segment.flatMap { segment in failed.contains { $0.kind == .movie(segment) } ? segment : nil }
    }
}
