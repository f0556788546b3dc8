public import CaptureModel
internal import CaptureSystem
internal import FaultPoints
public import PosixSupport

/// Files whose making takes long and outlives the process: a clip that is encoded, a motion photo.
///
/// ```
///  store(owed: [k]) ──▶ owed, still kept ── clip written, keep(work) ──▶ deferred ── add(k) ──▶ stored
///                            │                                              │ └──── giveUp(k) ──▶ failed
///                            └─ the process ends ──▶ failed                 └─ the process ends ──▶ deferred
/// ```
///
/// What the files are made of lies in `deferred/`, apart from what is offered to the library, which may take the photo
/// long before. It goes when nothing of the work is owed any more.
extension Spool {
    /// Where a part of a capture's deferred work lies, or is to lie.
    public nonisolated func place(of part: DeferredPart, _ key: CaptureKey) -> (folder: Folder, name: String) {
        (deferred, SpoolNames.deferred(key, part))
    }

    /// Where a file of a capture is made.
    public nonisolated func place(of key: FileKey) -> (folder: Folder, name: String) {
        (captures, SpoolNames.file(key.capture, key.kind))
    }

    /// Writes down what is to be made of a clip that lies in its place; returns once that is durable.
    /// - Throws: `noSpace`, `inputOutput`; `discarded` where the capture is gone. The files are owed as before.
    public func keep(_ work: DeferredWork) throws(CaptureProblem) {
        guard reports[work.key] != nil else {
            removeDeferred(work.key)
            throw CaptureProblem(.discarded, "\(work.key) was removed from the spool meanwhile")
        }
        var kept = work
        kept.byteCount = try deferred.attempt { () throws(PosixError) in
            var byteCount: Int64 = 0
            for part in [DeferredPart.clip, .still] {
                byteCount += try deferred.entry(SpoolNames.deferred(work.key, part))?.byteCount ?? 0
            }
            return byteCount
        }
        let content = try kept.encoded()
        try deferred.attempt { () throws(PosixError) in
            try deferred.publish([content], as: SpoolNames.deferred(work.key, .work))
        }
        storedBytes += kept.byteCount - (works[work.key]?.byteCount ?? 0)
        works[work.key] = kept
        SpoolFault.workDurable.reached()
    }

    /// The deferred work of which something is still to be done, in order of key.
    public func deferredWork() -> [DeferredWork] { works.values.sorted { $0.key < $1.key } }

    /// The deferred work of a capture; nil where nothing of it is still to be done.
    public func deferredWork(of key: CaptureKey) -> DeferredWork? { works[key] }

    /// Gives the recorded clip a second name, as the capture's own; ``add(_:to:clip:)`` makes it part of the capture.
    /// - Parameter shortfall: Why it is not what was asked for.
    /// - Throws: `inputOutput`.
    public nonisolated func useRecordedClip(
        of key: CaptureKey, shortfall: CaptureProblem? = nil
    ) throws(CaptureProblem) -> SpooledFile {
        let name = SpoolNames.file(key, .pairedVideo)
        try captures.attempt { () throws(PosixError) in
            try captures.remove(name)
            try deferred.link(SpoolNames.deferred(key, .clip), in: captures, to: name)
        }
        var file = try describe(name, as: .pairedVideo)
        file.shortfall = shortfall
        return file
    }

    /// What has become of an owed file that was written into its ``place(of:)-(FileKey)``. Blocks on the disk.
    /// - Throws: `inputOutput`.
    public nonisolated func describe(_ key: FileKey) throws(CaptureProblem) -> SpooledFile {
        try describe(SpoolNames.file(key.capture, key.kind), as: key.kind)
    }

    /// Keeps the still of a capture for what will be made of it; durable with ``keep(_:)``.
    func keepStill(of key: CaptureKey) throws(PosixError) {
        try deferred.remove(SpoolNames.deferred(key, .still))
        try captures.link(SpoolNames.file(key, .photo), in: deferred, to: SpoolNames.deferred(key, .still))
    }

    /// Removes what nobody owes any more of a capture.
    func settleDeferred(_ key: CaptureKey) {
        if let report = reports[key] {
            guard report.resolved.livePhoto?.isProcessedLater == true else { return }
            if let work = works[key], work.isOwed(by: report) { return }
            if works[key] == nil, report.owed.contains(where: \.isMadeLater) { return }
        }
        removeDeferred(key)
    }

    /// The work first, so that no moment shows it without what it is about; what cannot be removed, the next start removes.
    private func removeDeferred(_ key: CaptureKey) {
        for part in DeferredPart.allCases { try? deferred.remove(SpoolNames.deferred(key, part)) }
        guard let work = works.removeValue(forKey: key) else { return }
        storedBytes -= work.byteCount
        SpoolFault.workRemoved.reached()
    }
}
