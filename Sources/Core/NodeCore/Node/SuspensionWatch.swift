import CaptureEngine
import CaptureModel
import ClockSync
import Logging

/// Notices that machine or process stood still, and has everybody draw the consequences: first the sessions let go of
/// what lies before, then rig time is estimated anew.
struct SuspensionWatch: Sendable {
    let sessions: [CaptureSession]
    let events: NodeEvents
    let estimate: RigClockEstimate
    let clock: any TimeSource
    let log: Logger
    /// Has the clock channel send probes at once.
    let probe: @Sendable () async -> Void

    /// Runs until the task is cancelled.
    func run() async {
        var detector = SuspensionDetector(at: clock.now(), timeSlept: clock.timeSlept())
        while true {
            // What it does itself may take long, and is no stop of the process.
            detector.wait(from: clock.now())
            do { try await clock.sleep(for: SuspensionDetector.interval) } catch { return }
            if let suspension = detector.tick(at: clock.now(), timeSlept: clock.timeSlept()) {
                await apply(suspension)
            } else if estimate.isHeld {
                // A sleep that fell between the looks of both.
                await apply(Suspension(.machineSlept, .zero))
            }
        }
    }

    private func apply(_ suspension: Suspension) async {
        log.warning(
            "the node stood still",
            metadata: ["kind": "\(suspension.kind.rawValue)", "reason": "\(suspension)"])
        for session in sessions { await session.wasSuspended(suspension) }
        if suspension.kind == .machineSlept {
            estimate.restart()
            await probe()
        }
        events.record(.nodeSuspended, details: suspension.details)
    }
}

extension Suspension {
    fileprivate var details: [String: String] {
        ["kind": kind.rawValue, "durationNanoseconds": "\(duration.nanoseconds)", "reason": description]
    }
}

extension EventName {
    static let nodeSuspended = EventName(rawValue: "node.suspended")
}
