import CaptureModel
import RigConfiguration
import StorageKit

/// Decides which shots of a library are due to be deleted, and which of them stay all the same. A value without a clock or a disk.
///
/// | the shot | |
/// |---|---|
/// | is younger than the age, and the disk has the free bytes | is not due |
/// | is due and has no result yet, or its files are still delivered | stays: `inProgress` |
/// | is due and has a title or a note | stays: `annotated` |
/// | is due, and no other complete copy is known | stays: `onlyCopy`; deleted if the rule says so |
/// | is due otherwise | deleted |
///
/// A shot whose T lies in the future has no age.
struct RetentionRule: Hashable, Sendable {
    /// A shot as far as it matters.
    struct Candidate: Hashable, Sendable {
        /// T on the coordinator's wall clock, nanoseconds since 1970.
        var realtimeNanoseconds: Int64
        var isInProgress: Bool
        var annotation: ShotAnnotation
    }

    enum Verdict: Hashable, Sendable {
        case notDue
        case stays(RetentionStatus.Obstacle)
        /// - Parameter needsCopy: Whether it is deleted only if another complete copy is known.
        case due(ShotDeletion.Reason, needsCopy: Bool)
    }

    private let configured: CoordinatorConfiguration.Retention

    init(_ configured: CoordinatorConfiguration.Retention) {
        self.configured = configured
    }

    var text: String {
        configured.text + (configured.onlyCopies == .delete ? ", only copies too" : "")
    }

    /// Returns the bytes that the disk lacks; 0 if it has enough, or does not report them.
    func lacking(free: Int64?) -> Int64 {
        guard let wanted = configured.free, let free else { return 0 }
        return max(0, wanted.bytes - free)
    }

    func verdict(on shot: Candidate, at realtimeNanoseconds: Int64, free: Int64?) -> Verdict {
        guard let reason = reason(shot.realtimeNanoseconds, realtimeNanoseconds, free) else { return .notDue }
        if shot.isInProgress { return .stays(.inProgress) }
        guard shot.annotation.title.isEmpty, shot.annotation.note.isEmpty else { return .stays(.annotated) }
        return .due(reason, needsCopy: configured.onlyCopies == .keep)
    }

    private func reason(_ time: Int64, _ now: Int64, _ free: Int64?) -> ShotDeletion.Reason? {
        if isTooOld(time, now) { return .age }
        return lacking(free: free) > 0 ? .space : nil
    }

    private func isTooOld(_ time: Int64, _ now: Int64) -> Bool {
        guard let age = configured.age else { return false }
        let (past, overflow) = now.subtractingReportingOverflow(time)
        return !overflow && past >= age.nanoseconds
    }

    /// Whether shots of a day may be due that begins with this instant. Later days have none either if this one has none.
    func mayBeDue(_ day: ShotDay, at realtimeNanoseconds: Int64, free: Int64?) -> Bool {
        if lacking(free: free) > 0 { return true }
        guard let age = configured.age else { return false }
        let (limit, overflow) = realtimeNanoseconds.subtractingReportingOverflow(age.nanoseconds)
        return !overflow && day.name <= ShotDay.name(atRealtimeNanoseconds: limit)
    }
}
