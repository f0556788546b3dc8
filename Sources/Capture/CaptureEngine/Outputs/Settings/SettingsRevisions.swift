import CaptureModel

/// Which settings transaction is in force at the frames of one stream. A value without a clock.
///
/// A revision is the id of the transaction that set the controls last; nil stands for settings that no kept transaction
/// has made. The newest ``limit`` changes are kept.
struct SettingsRevisions: Sendable {
    static let limit = 64

    private struct Change: Hashable, Sendable {
        var revision: SettingsID?
        /// The last frame that surely has the earlier settings; nil if none is known.
        var lastOld: UInt64?
        /// The first frame that surely has these; nil while it is not known.
        var firstNew: UInt64?
        /// The exposure times that frames may have during the change; nil if the change does not concern them.
        var exposures: ClosedRange<Duration>?
        /// Whether the camera has accepted the values.
        var isAccepted = false

        /// Whether a frame may have these settings or earlier ones.
        func isUndecided(at sequence: UInt64) -> Bool {
            lastOld.map { sequence > $0 } ?? true && firstNew.map { sequence < $0 } ?? true
        }
    }

    /// The settings before the first of the changes, and the first frame that surely has them. Of earlier frames nothing
    /// is known.
    private var base: (revision: SettingsID?, since: UInt64) = (nil, 0)
    private var changes: [Change] = []
    /// How many changes have begun, by which they are told apart.
    private(set) var number: UInt64 = 0

    /// The settings that were made last.
    var newest: SettingsID? { changes.isEmpty ? base.revision : changes.last?.revision }

    /// The first frame that surely has the newest settings; nil if all have, or none is known.
    var newestIsSince: UInt64? { changes.last?.firstNew }

    /// Begins with the frames of another stream, whose numbers are unrelated to those before.
    mutating func streamOpened() {
        // An undecided change may come into the pictures of the next stream at any frame.
        if let last = changes.last, last.firstNew == nil {
            var undecided = last
            undecided.lastOld = nil
            (base, changes) = ((nil, 0), [undecided])
        } else {
            (base, changes) = ((newest, 0), [])
        }
    }

    /// Returns the settings that a transaction has replaced; nil if no transaction has made them, or it is not known.
    func replaced(by revision: SettingsID) -> SettingsID? {
        guard let index = changes.lastIndex(where: { $0.revision == revision }) else { return nil }
        // A capture that sets the camera does so beside the revision in force.
        let before = [base.revision] + changes[..<index].map(\.revision)
        return before.last { $0 != revision } ?? nil
    }

    /// Notes that controls are about to be set.
    /// - Parameters:
    ///   - frame: The last frame that surely has the earlier settings.
    ///   - exposures: The exposure times that frames may have until the change is decided; nil if they stay as they are.
    mutating func begin(_ revision: SettingsID?, after frame: UInt64?, exposures: ClosedRange<Duration>? = nil) {
        changes.append(Change(revision: revision, lastOld: frame, exposures: exposures))
        number += 1
        guard changes.count > Self.limit else { return }
        let oldest = changes.removeFirst()
        base = (oldest.revision, oldest.firstNew ?? .max)
    }

    /// Notes that the camera has accepted the newest values. If it has not, frames may have them nevertheless.
    mutating func accepted() {
        if let index = changes.indices.last { changes[index].isAccepted = true }
    }

    /// Notes that the camera has refused values, and has set none of them.
    /// - Parameter number: ``number`` when the change had begun. One before the newest stays undecided.
    mutating func refused(_ number: UInt64) {
        if number == self.number, changes.last?.isAccepted == false { changes.removeLast() }
    }

    /// Notes that a frame has the newest values, if they were accepted: they were set longer ago than any camera takes.
    mutating func settle(at sequence: UInt64) {
        guard let last = changes.last, last.isAccepted, last.firstNew == nil else { return }
        changes[changes.count - 1].firstNew = sequence
    }

    /// Notes that a camera that was just opened has the settings of a transaction.
    mutating func found(_ revision: SettingsID?) {
        if changes.isEmpty { base = (revision, 0) }
    }

    /// Notes that a camera that was just opened has settings of which nothing is known.
    mutating func notFound() {
        if changes.isEmpty { base = (nil, 0) }
    }

    /// Notes between which frames the newest change came into the pictures.
    /// - Parameter isOldKnown: Whether the frames before it have the settings before it, and not others.
    mutating func decide(_ change: ObservedChangeover, isOldKnown: Bool = true) {
        guard var last = changes.popLast() else { return }
        if isOldKnown { last.lastOld = [last.lastOld, change.lastOld?.sequence].compactMap(\.self).max() }
        last.firstNew = change.firstNew?.sequence
        changes.append(last)
    }

    /// Returns the settings of a frame; nil if no transaction has made them.
    func settings(at sequence: UInt64) -> FrameSettings? {
        guard let index = changes.lastIndex(where: { $0.lastOld.map { sequence > $0 } ?? true }) else {
            return sequence < base.since ? .changing(from: nil, to: base.revision) : base.revision.map { .inForce($0) }
        }
        guard changes[index].isUndecided(at: sequence) else { return changes[index].revision.map { .inForce($0) } }
        return .changing(from: earlier(than: index), to: changes[index].revision)
    }

    /// Returns the exposure times that a frame may have had; nil if no change of them is undecided at it.
    func exposures(at sequence: UInt64) -> ClosedRange<Duration>? {
        changes.filter { $0.isUndecided(at: sequence) }.compactMap(\.exposures).reduce(nil) { all, some in
            all.map { min($0.lowerBound, some.lowerBound)...max($0.upperBound, some.upperBound) } ?? some
        }
    }

    /// Returns the settings before a change; nil also if it is not known which.
    private func earlier(than index: Int) -> SettingsID? {
        guard index > 0 else { return base.revision }
        return changes[index - 1].firstNew == nil ? nil : changes[index - 1].revision
    }
}
