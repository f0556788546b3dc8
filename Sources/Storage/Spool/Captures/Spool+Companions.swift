public import CaptureModel
internal import CaptureSystem
internal import Crypto
internal import FaultPoints
public import PosixSupport

/// Files that are made after their capture was stored.
///
/// ```
///  store(owed: [k]) ──▶ owed ── make(k), add(k) ──▶ stored ── release(k) ──▶ gone
///                         └──── giveUp(k), or the process ends ──▶ failed ── forgetFailure(k) ──▶ gone
/// ```
///
/// Each arrow is one durable manifest. A file that is being made is named by none, so the next start removes it.
extension Spool {
    /// Has an owed file written, and looks at what has become of it. Blocks on the disk, on the calling thread, so that no
    /// other capture waits for it.
    /// - Parameter write: Writes the file, durably, under this name in this folder.
    /// - Throws: What `write` throws; `inputOutput`. Nothing is left of the file then.
    public nonisolated func make(
        _ key: FileKey, _ write: (Folder, String) throws(CaptureProblem) -> Void
    ) throws(CaptureProblem) -> SpooledFile {
        let name = SpoolNames.file(key.capture, key.kind)
        do {
            try write(captures, name)
            return try describe(name, as: key.kind)
        } catch {
            discardUnfinished(key)
            throw error
        }
    }

    /// Where a file lies, or is to lie.
    public nonisolated func path(of key: FileKey) -> String {
        captures.path(of: SpoolNames.file(key.capture, key.kind))
    }

    /// Makes an owed file that ``make(_:_:)`` has written part of its capture; returns once that is durable.
    /// - Returns: The capture with it; nil where nobody owes it any more, since somebody has given it up or discarded the
    ///   capture. The file is removed then.
    /// - Throws: `noSpace`, `inputOutput`; the file is still owed, and stays until ``giveUp(_:of:_:)``, since the manifest that
    ///   names it may have reached the disk.
    public func add(
        _ file: SpooledFile, to key: CaptureKey, clip: ClipTiming? = nil
    ) throws(CaptureProblem) -> CaptureReport? {
        let fileKey = FileKey(capture: key, kind: file.kind)
        guard var report = reports[key], report.owed.contains(file.kind) else {
            let stored = reports[key]?.files.first { $0.kind == file.kind }
            if stored == nil { discardUnfinished(fileKey) }
            settleDeferred(key)
            return stored == file ? reports[key] : nil
        }
        report.owed.removeAll { $0 == file.kind }
        report.files.append(file)
        report.clip = clip ?? report.clip
        try replace(report)
        reports[key] = report
        storedBytes += file.byteCount
        SpoolFault.companionDurable.reached()
        settleDeferred(key)
        return report
    }

    /// Records durably that an owed file will not be made, and why.
    ///
    /// Where that cannot be written down, it is known until the process ends; the next start says that it ended, or finds the
    /// file whole. Until it is written down the file stays.
    /// - Returns: The capture with its failure; nil where nobody owes the file.
    public func giveUp(_ kind: AssetKind, of key: CaptureKey, _ problem: CaptureProblem) -> CaptureReport? {
        guard var report = reports[key], report.owed.contains(kind) else { return nil }
        report.owed.removeAll { $0 == kind }
        report.failed.append(FailedFile(kind: kind, problem: problem))
        reports[key] = report
        try? replace(report)
        SpoolFault.companionGivenUp.reached()
        settleDeferred(key)
        return report
    }

    /// What cannot be removed, the next start removes.
    nonisolated func discardUnfinished(_ key: FileKey) {
        try? captures.remove(SpoolNames.file(key.capture, key.kind))
    }

    nonisolated func describe(_ name: String, as kind: AssetKind) throws(CaptureProblem) -> SpooledFile {
        try captures.attempt { () throws(PosixError) in
            let file = try captures.open(name, for: .reading)
            var hash = SHA256()
            var byteCount: Int64 = 0
            while true {
                let bytes = try file.read(at: byteCount, count: 1 << 20)
                guard !bytes.isEmpty else { break }
                hash.update(data: bytes)
                byteCount += Int64(bytes.count)
            }
            return SpooledFile(kind: kind, byteCount: byteCount, digest: ContentDigest(hash.finalize()))
        }
    }
}
