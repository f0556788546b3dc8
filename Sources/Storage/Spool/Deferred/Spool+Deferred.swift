public import CaptureModel
internal import CaptureSystem
internal import FaultPoints
public import PosixSupport

/// Files whose making takes long and outlives the process: a still in HEIC, a clip that is encoded, a motion photo.
///
/// ```
///  store(owed: [k]) ──▶ owed, still kept ── clip written, keep(work) ──▶ deferred ── add(k) ──▶ stored
///                            │                                              │ └──── giveUp(k) ──▶ failed
///                            └─ the process ends ──▶ failed                 └─ the process ends ──▶ deferred
/// ```
///
/// A still in HEIC is deferred from the beginning: its work is durable with its capture.
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

    /// Writes down what is to be made of a clip that lies in its place, beside what else is to be made of the capture; returns
    /// once that is durable.
    /// - Throws: `noSpace`, `inputOutput`; `discarded` where the capture is gone. The files are owed as before.
    public func keep(_ work: DeferredWork) throws(CaptureProblem) {
        guard reports[work.key] != nil else {
            removeDeferred(work.key)
            throw CaptureProblem(.discarded, "\(work.key) was removed from the spool meanwhile")
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

    private func write(_ work: DeferredWork) throws(CaptureProblem) {
        let content = try work.encoded()
        try deferred.attempt { () throws(PosixError) in
            try deferred.publish([content], as: SpoolNames.deferred(work.key, .work))
        }
    }

    /// Notes durably that a deferred file is begun, so that one whose making takes the process or the machine down is not
    /// begun for ever.
    /// - Returns: How often it was begun before, and not ended in order.
    /// - Throws: `noSpace`, `inputOutput`; `discarded` where the work is gone.
    public func beginAttempt(_ kind: AssetKind, of key: CaptureKey) throws(CaptureProblem) -> Int {
        guard var work = works[key] else {
            throw CaptureProblem(.discarded, "\(key) was removed from the spool meanwhile")
        }
        let before = work.attempts?[kind.rawValue] ?? 0
        work.attempts = (work.attempts ?? [:]).merging([kind.rawValue: before + 1]) { $1 }
        try write(work)
        works[key] = work
        return before
    }

    /// Takes an attempt back that the process gave up in order. Where that cannot be written down, it counts.
    public func takeBackAttempt(_ kind: AssetKind, of key: CaptureKey) {
        guard var work = works[key], let count = work.attempts?[kind.rawValue] else { return }
        work.attempts?[kind.rawValue] = max(count - 1, 0)
        guard (try? write(work)) != nil else { return }
        works[key] = work
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
    private func keepStill(of key: CaptureKey) throws(PosixError) {
        try deferred.remove(SpoolNames.deferred(key, .still))
        try captures.link(SpoolNames.file(key, .photo), in: deferred, to: SpoolNames.deferred(key, .still))
    }

    /// The work that a capture has as soon as it is stored; nil where all waits for its clip, or is made at once.
    nonisolated static func firstWork(_ report: CaptureReport) -> DeferredWork? {
        let kinds = report.owed.filter { $0.deferredSources == [.still] }
        guard !kinds.isEmpty else { return nil }
        var work = DeferredWork(key: report.key, kinds: kinds)
        work.byteCount = report.files.first { $0.kind == .photo }?.byteCount ?? 0
        return work
    }

    /// Keeps what deferred files of a capture need of it, before its manifest says that they are owed.
    /// - Parameter content: That of its first work.
    func keepSources(of report: CaptureReport, work content: [UInt8]?) throws(PosixError) {
        if report.owed.contains(where: { $0.deferredSources.contains(.still) }) { try keepStill(of: report.key) }
        if let content { try deferred.publish([content], as: SpoolNames.deferred(report.key, .work)) }
    }

    /// Removes what nobody owes any more of a capture.
    func settleDeferred(_ key: CaptureKey) {
        if let report = reports[key] {
            guard report.resolved.isProcessedLater else { return }
            if report.owed.contains(where: { !$0.deferredSources.isEmpty }) { return }
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
