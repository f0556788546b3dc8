import CaptureModel

/// The writes of a shot's manifest: which is durable, which is outstanding, and when the next one may begin.
///
/// At most one is outstanding. Changes during a write wait and become one further revision (group commit).
struct ManifestJournal: Sendable {
    private var newest: Shot?
    private var outstanding: Shot?
    private var hasWritten = false
    private var retryAt: RigTime?
    private var retryDelay: RetryDelay
    /// When waiting changes are written at the latest.
    private var dueAt: RigTime?
    private let patience: Duration

    /// - Parameter durable: The manifest from which the shot is resumed.
    init(durable: Shot? = nil, schedule: ShotSchedule) {
        newest = durable
        retryDelay = RetryDelay(first: schedule.repeatInterval, last: max(schedule.repeatInterval, .seconds(30)))
        patience = schedule.writeDelay
    }

    /// The newest manifest known to be durable.
    var durable: Shot? { newest }
    var isWriting: Bool { outstanding != nil }
    /// When a write is next possible; nil if it is possible at once, or only after the outstanding one.
    var nextDeadline: RigTime? { retryAt ?? (outstanding == nil ? dueAt : nil) }

    /// Begins a write if one is needed and possible. The first manifest and an urgent one are written at once. In
    /// between, a crash loses nothing that the nodes' inventories do not restore, so changes are collected for up to
    /// the schedule's `writeDelay`, because the pictures need the disk.
    /// - Returns: The manifest to write.
    mutating func nextWrite(of shot: inout KnownShot, isUrgent: Bool, at now: RigTime) -> Shot? {
        guard shot.hasUnwrittenChanges, outstanding == nil, retryAt == nil, isDue(isUrgent, at: now) else { return nil }
        dueAt = nil
        let manifest = shot.manifest(isFirst: !hasWritten && newest == nil)
        hasWritten = true
        outstanding = manifest
        return manifest
    }

    private mutating func isDue(_ isUrgent: Bool, at now: RigTime) -> Bool {
        if newest == nil || isUrgent { return true }
        let due = dueAt ?? now + patience
        dueAt = due
        return due <= now
    }

    /// Ends the outstanding write, if it is of this revision.
    /// - Returns: What is durable because of it.
    mutating func succeeded(_ revision: Int) -> Shot? {
        guard let written = outstanding, written.revision == revision else { return nil }
        outstanding = nil
        retryDelay.reset()
        newest = written
        return written
    }

    /// Ends the outstanding write, if it is of this revision. It is tried again as a further revision, because nothing is
    /// known about the one that failed.
    /// - Returns: Whether it was outstanding.
    mutating func failed(_ revision: Int, of shot: inout KnownShot, at now: RigTime) -> Bool {
        guard outstanding?.revision == revision else { return false }
        outstanding = nil
        shot.manifestFailed()
        retryAt = now + retryDelay.advance()
        return true
    }

    mutating func deadlinePassed(at now: RigTime) {
        if let retryAt, retryAt <= now { self.retryAt = nil }
    }
}
