import CaptureModel
import Logging
import StorageKit

/// Settings transactions that an earlier run of the coordinator has committed and not ended.
extension Rig {
    /// How long the nodes of their cameras are awaited.
    private static let joiningPatience = Duration.seconds(30)

    /// Goes on with the transactions that an earlier run has not ended: each gets a report and an event, also if nobody repeats it. Called once,
    /// before clients are served, so that a repeat joins the transaction.
    package func resumeOpenSettings() {
        for settings in committedSettings where settings.state == .committed {
            guard let open = settings.open else { continue }
            let id: Logger.Metadata = ["settings.id": "\(settings.id)"]
            log.info("a settings transaction of an earlier run goes on", metadata: id)
            do throws(RigProblem) {
                // Unstructured, as for a new one.
                _ = try transactions.begin(open.request, by: open.principal, cameras: open.cameras) {
                    Task {
                        var (report, change) = await carryOut(
                            open.request, Self.order(of: open, settings.past), earlier: settings, by: open.principal,
                            at: nil)
                        if open.request.origin == nil {
                            report.leftOut = open.request.selection.leftOut(of: candidates)
                        }
                        return await conclude(report, storedBy: change)
                    }
                }
            } catch {
                log.error(
                    "a settings transaction of an earlier run waits for its repeat",
                    metadata: id.merging(["reason": "\(error)"]) { own, _ in own })
            }
        }
    }

    private static func order(of open: CommittedSettings.Open, _ past: PastSettings?) -> SettingsOrder {
        if let past { return SettingsOrder(repeating: past) }
        return SettingsOrder(
            cameras: open.cameras,
            settings: Dictionary(open.cameras.map { ($0, open.request.settings) }, uniquingKeysWith: { $1 }))
    }

    /// Waits until the nodes of the cameras are connected, at the latest for 30 s.
    func connections(of cameras: [DeviceID]) async {
        await nodes.wait(for: Set(cameras.map(\.node)), until: clock.now() + Self.joiningPatience, on: clock)
    }
}
