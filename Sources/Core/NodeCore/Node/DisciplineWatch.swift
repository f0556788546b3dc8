import CaptureModel
import ClockSync
import Logging

/// Tells the estimate of rig time how this machine's clock is kept in step, and publishes when that begins and ceases
/// to contradict the probes.
struct DisciplineWatch: Sendable {
    let discipline: any ClockDiscipline
    let estimate: RigClockEstimate
    let events: NodeEvents
    let clock: any TimeSource
    let log: Logger

    /// Runs until the task is cancelled.
    func run() async {
        var known: ClockConflict?
        while true {
            let reading = await discipline.reading()
            estimate.note(reading)
            // Without rig time, a conflict cannot be seen.
            if let status = estimate.status {
                publish(status.conflict, after: known)
                known = status.conflict
            }
            do { try await discipline.pause(after: reading, on: clock) } catch { return }
        }
    }

    private func publish(_ conflict: ClockConflict?, after known: ClockConflict?) {
        if let conflict, known?.since != conflict.since {
            log.warning(
                "what keeps the clocks in step contradicts the probes, and is not used",
                metadata: ["details": "\(conflict.details)"])
            events.record(.clockConflict, details: conflict.details)
        } else if conflict == nil, let known {
            log.info("what keeps the clocks in step agrees with the probes again")
            events.record(.clockConflictEnded, details: known.details)
        }
    }
}

extension ClockConflict {
    fileprivate var details: [String: String] {
        [
            "source": reference.source.rawValue, "identity": reference.identity,
            "claimedOffsetNanoseconds": "\(claimed.offset.nanoseconds)",
            "claimedBoundNanoseconds": "\(claimed.bound.nanoseconds)",
            "provenOffsetNanoseconds": "\(proven.offset.nanoseconds)",
            "provenBoundNanoseconds": "\(proven.bound.nanoseconds)",
        ]
    }
}

extension EventName {
    static let clockConflict = EventName(rawValue: "clock.conflict")
    static let clockConflictEnded = EventName(rawValue: "clock.conflictEnded")
}
