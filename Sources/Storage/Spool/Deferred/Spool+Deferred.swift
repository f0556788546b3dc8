public import CaptureModel
internal import FaultPoints
public import PosixSupport

/// Files that take long to make and survive the end of the process: a still in HEIC, an encoded clip, a motion photo.
///
/// ```
///  store(owed: [k]) ──▶ owed, still kept ── clip written, keep(work) ──▶ deferred ── add(k) ──▶ stored
///                            │                                              │ └──── giveUp(k) ──▶ failed
///                            └─ the process ends ──▶ failed                 └─ the process ends ──▶ deferred
/// ```
///
/// A still in HEIC is deferred from the beginning: its work is durable with its capture.
///
/// Source files are in `deferred/`, separate from the files that are offered to the library, which may collect the photo much earlier. They
/// are removed when the capture owes nothing of the work.
extension Spool {
    /// Returns the place of a part of a capture's deferred work, whether it exists or not.
    public nonisolated func place(of part: DeferredPart, _ key: CaptureKey) -> (folder: Folder, name: String) {
        (deferred, SpoolNames.deferred(key, part))
    }

    /// Returns the place where a file of a capture is made.
    public nonisolated func place(of key: FileKey) -> (folder: Folder, name: String) {
        (captures, SpoolNames.file(key.capture, key.kind))
    }

    /// Stores what is to be made of a clip that is in its place, in addition to the capture's other deferred work. Returns once that is
    /// durable.
    /// - Throws: `noSpace`, `inputOutput`; `discarded` if the capture is gone. The files are still owed.
    public func keep(_ work: DeferredWork) throws(SpoolError) {
        guard reports[work.key] != nil else {
            removeDeferred(work.key)
            throw SpoolError(.discarded, "keep", work.key, "\(work.key) was removed from the spool during the work")
        }
        var kept = work.joined(with: works[work.key])
        kept.byteCount = try deferred.attempt { () throws(PosixError) in
            var byteCount: Int64 = 0
            for part in [DeferredPart.clip, .still] {
                byteCount += try deferred.entry(SpoolNames.deferred(work.key, part))?.byteCount ?? 0
            }
            return byteCount
        }
        try write(kept)
        storedBytes += kept.byteCount - (works[work.key]?.byteCount ?? 0)
        works[work.key] = kept
        SpoolFault.workDurable.reached()
    }

    private func write(_ work: DeferredWork) throws(SpoolError) {
        let content = try work.encoded()
        try deferred.attempt { () throws(PosixError) in
            try deferred.publish([content], as: SpoolNames.deferred(work.key, .work))
        }
    }

    /// Records durably that the making of a deferred file begins, so that a file that crashes the process or the machine is not begun
    /// forever.
    /// - Returns: How often it was begun before and not ended in an orderly way.
    /// - Throws: `noSpace`, `inputOutput`; `discarded` if the work is gone.
    public func beginAttempt(_ kind: AssetKind, of key: CaptureKey) throws(SpoolError) -> Int {
        guard var work = works[key] else {
            throw SpoolError(.discarded, "begin", key, "\(key) was removed from the spool before the work began")
        }
        let before = work.attempts?[kind.rawValue] ?? 0
        work.attempts = (work.attempts ?? [:]).merging([kind.rawValue: before + 1]) { $1 }
        try write(work)
        works[key] = work
        return before
    }

    /// Takes back an attempt that the process abandoned in an orderly way. If this cannot be written, the attempt counts.
    public func undoAttempt(_ kind: AssetKind, of key: CaptureKey) {
        guard var work = works[key], let count = work.attempts?[kind.rawValue] else { return }
        work.attempts?[kind.rawValue] = max(count - 1, 0)
        guard (try? write(work)) != nil else { return }
        works[key] = work
    }

    /// Returns the deferred work that is not finished, in order of key.
    public func deferredWork() -> [DeferredWork] { works.values.sorted { $0.key < $1.key } }

    /// Returns the deferred work of a capture; nil if none of it is left to do.
    public func deferredWork(of key: CaptureKey) -> DeferredWork? { works[key] }

    /// Gives the recorded clip a second name, as a file of the capture. ``add(_:to:clip:)`` makes it part of the capture.
    /// - Parameter shortfall: Why it differs from the request.
    /// - Throws: `inputOutput`.
    public nonisolated func useRecordedClip(
        of key: CaptureKey, shortfall: RigProblem? = nil
    ) throws(SpoolError) -> SpooledFile {
        let name = SpoolNames.file(key, .pairedVideo)
        try captures.attempt { () throws(PosixError) in
            try captures.remove(name)
            try deferred.linkOrCopy(SpoolNames.deferred(key, .clip), in: captures, to: name)
        }
        var file = try describe(name, as: .pairedVideo)
        file.shortfall = shortfall
        return file
    }

    /// Returns size and digest of an owed file that was written to its ``place(of:)-(FileKey)``. Blocks on the disk.
    /// - Throws: `inputOutput`.
    public nonisolated func describe(_ key: FileKey) throws(SpoolError) -> SpooledFile {
        try describe(SpoolNames.file(key.capture, key.kind), as: key.kind)
    }

    /// Keeps the still of a capture for its deferred files; durable with ``keep(_:)``.
    private func keepStill(of key: CaptureKey) throws(PosixError) {
        try deferred.remove(SpoolNames.deferred(key, .still))
        try captures.linkOrCopy(
            SpoolNames.file(key, .photo), in: deferred, to: SpoolNames.deferred(key, .still))
    }

    /// Returns the deferred work of a capture from the moment it is stored; nil if every owed file waits for the clip or is made at once.
    nonisolated static func firstWork(_ report: CaptureReport) -> DeferredWork? {
        let kinds = report.owed.filter { $0.deferredSources == [.still] }
        guard !kinds.isEmpty else { return nil }
        var work = DeferredWork(key: report.key, kinds: kinds)
        work.byteCount = report.files.first { $0.kind == .photo }?.byteCount ?? 0
        return work
    }

    /// Keeps the sources of a capture's deferred files before its manifest says that the files are owed.
    /// - Parameter content: The document of its first work.
    func keepSources(of report: CaptureReport, work content: [UInt8]?) throws(PosixError) {
        if report.owed.contains(where: { $0.deferredSources.contains(.still) }) { try keepStill(of: report.key) }
        if let content { try deferred.publish([content], as: SpoolNames.deferred(report.key, .work)) }
    }

    /// Removes what the making of a deferred file has left, whether it succeeded, failed or was cancelled. Blocks on the disk.
    public nonisolated func removeScratch(of key: CaptureKey) {
        for part in [DeferredPart.scratch, .scratchStill] { remove(part, of: key) }
    }

    /// Removes a part of a capture's deferred work and what is left of writing it. What cannot be removed, the next start removes.
    private nonisolated func remove(_ part: DeferredPart, of key: CaptureKey) {
        let name = SpoolNames.deferred(key, part)
        for name in [name, name + ".tmp"] { try? deferred.remove(name) }
    }

    /// Removes the deferred work of a capture that is no longer owed.
    func removeUnowedDeferred(_ key: CaptureKey) {
        if let report = reports[key] {
            guard report.resolved.isProcessedLater else { return }
            if report.owed.contains(where: { !$0.deferredSources.isEmpty }) { return }
        }
        removeDeferred(key)
    }

    /// Removes the work first, so that it is never visible without its sources.
    private func removeDeferred(_ key: CaptureKey) {
        for part in DeferredPart.allCases { remove(part, of: key) }
        guard let work = works.removeValue(forKey: key) else { return }
        storedBytes -= work.byteCount
        SpoolFault.workRemoved.reached()
    }
}
