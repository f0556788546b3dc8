import CaptureModel

/// Which settings transaction is in force at the frames of one stream. A value without a clock.
///
/// A revision is the id of the transaction that set the controls last; nil stands for settings that no kept transaction
/// has made. The newest ``limit`` changes are kept.
struct SettingsRevisions: Sendable {
    static let limit = 16

    private struct Change: Hashable, Sendable {
        var revision: SettingsID?
        /// The last frame that surely has the earlier settings; nil if none is known.
        var lastOld: UInt64?
        /// The first frame that surely has these; nil while it is not known.
        var firstNew: UInt64?
    }

    /// The settings before the first of the changes, and the first frame that surely has them. Of earlier frames nothing
    /// is known any more.
    private var base: (revision: SettingsID?, since: UInt64) = (nil, 0)
    private var changes: [Change] = []

    /// The settings that were made last.
    var newest: SettingsID? { changes.isEmpty ? base.revision : changes.last?.revision }

    /// Begins with the frames of another stream, whose numbers are unrelated to those before.
    mutating func streamOpened() {
        // An undecided change may come into the pictures of the next stream at any frame.
        if let last = changes.last, last.firstNew == nil {
            (base, changes) = ((nil, 0), [Change(revision: last.revision)])
        } else {
            (base, changes) = ((newest, 0), [])
        }
    }

    /// Notes that controls are about to be set.
    /// - Parameter frame: The last frame that surely has the earlier settings.
    mutating func begin(_ revision: SettingsID?, after frame: UInt64?) {
        changes.append(Change(revision: revision, lastOld: frame))
        guard changes.count > Self.limit else { return }
        let oldest = changes.removeFirst()
        base = (oldest.revision, oldest.firstNew ?? .max)
    }

    /// Notes between which frames the newest change came into the pictures.
    mutating func decide(_ change: ObservedChangeover) {
        guard var last = changes.popLast() else { return }
        last.lastOld = change.lastOld?.sequence ?? last.lastOld
        last.firstNew = change.firstNew?.sequence
        changes.append(last)
    }

    /// Whether it is not known which settings a frame has.
    func isChanging(at sequence: UInt64) -> Bool {
        guard let change = change(at: sequence) else { return sequence < base.since }
        return change.firstNew.map { sequence < $0 } ?? true
    }

    /// Returns the transaction whose settings a frame surely has.
    func revision(at sequence: UInt64) -> SettingsID? {
        guard !isChanging(at: sequence) else { return nil }
        return change(at: sequence).map(\.revision) ?? base.revision
    }

    /// Returns the newest change that a frame may have.
    private func change(at sequence: UInt64) -> Change? {
        changes.last { $0.lastOld.map { sequence > $0 } ?? true }
    }
}
