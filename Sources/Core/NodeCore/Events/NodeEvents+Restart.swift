import CaptureEngine
import CaptureModel
import Journal
import Spool

extension NodeEvents {
    /// Ends every capture that an earlier life of the agent began and did not end, before anything else is told: without
    /// an error where its files lie durable in the spool, with that of a file that it still owed, else, and where a recording was cut off, with `agentRestarted`.
    nonisolated func endUnfinishedCaptures(in spool: Spool) async {
        for opening in await unfinished() {
            guard let event = try? opening.event(), let device = event.device, let shot = event.shot else { continue }
            let key = CaptureKey(shot: shot, device: device)
            let report = await spool.report(of: key)
            let isCutOff = report.map { !$0.owed.isEmpty } ?? true
            let problem = isCutOff ? Self.restarted(device) : report?.failed.first?.problem
            record(.lifeCycle(key, .didFinishCapture(problem)), of: device)
        }
    }

    private static func restarted(_ device: DeviceID) -> CaptureProblem {
        CaptureProblem(
            .agentRestarted, "the agent of node '\(device.node)' ended while \(device) was capturing, and was restarted"
        )
    }
}
