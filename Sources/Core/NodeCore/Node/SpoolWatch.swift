import CaptureEngine
import CaptureModel
import FaultPoints
import Logging
import Spool

/// Looks every second how full the spool is: keeps it at hand for heartbeats and abilities, and tells when it has no room
/// for another photo.
struct SpoolWatch: Sendable {
    let spool: Spool
    let sessions: [CaptureSession]
    let health: NodeHealth
    let events: NodeEvents
    let clock: any TimeSource
    let log: Logger

    /// Runs until the task is cancelled.
    func run() async {
        var gauge = SpoolGauge()
        while true {
            await MemberFault.spoolUsage.reached()
            let usage = await spool.usage()
            let hasChanged = gauge.update(usage, needed: await needed())
            let shortage = gauge.shortage
            health.update { ($0.spool, $0.spoolShortage) = (usage, shortage) }
            if hasChanged { tell(shortage, usage) }
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
        }
    }

    private func needed() async -> Int64? {
        var largest: Int64?
        for session in sessions {
            guard let needed = await session.roomForPhoto else { continue }
            largest = max(largest ?? 0, needed)
        }
        return largest
    }

    private func tell(_ shortage: String?, _ usage: SpoolUsage) {
        if let shortage {
            log.warning("the spool has no room for another photo", metadata: ["reason": "\(shortage)"])
        } else {
            log.info("the spool has room again")
        }
        var details = ["availableBytes": "\(usage.availableBytes)"]
        details["reason"] = shortage
        events.record(shortage == nil ? .spoolHasRoom : .spoolNearlyFull, details: details)
    }
}

extension EventName {
    static let spoolNearlyFull = EventName(rawValue: "spool.nearlyFull")
    static let spoolHasRoom = EventName(rawValue: "spool.hasRoom")
}
