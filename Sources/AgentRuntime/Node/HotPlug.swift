import CaptureDevices
import CaptureEngine
import CaptureModel
import Logging
import PosixSupport

/// Lets the sessions of V4L2 cameras try at once when the system announces a video device, instead of at their next
/// attempt.
struct HotPlug: Sendable {
    let sessions: [CaptureSession]
    let log: Logger

    /// Runs until the task is cancelled. Where nothing can be heard, it says so once, and the attempts at intervals
    /// remain.
    func run() async {
        guard sessions.contains(where: { $0.device.driver == "v4l2" }) else { return }
        let watch: DeviceWatch
        do throws(PosixError) {
            watch = try DeviceWatch(subsystems: ["video4linux"])
        } catch {
            log.notice("no device events; cameras are looked for at intervals", metadata: ["reason": "\(error)"])
            return
        }
        let arrivals = DeviceArrivals()
        await withDiscardingTaskGroup { group in
            for camera in sessions {
                let stream = arrivals.stream()
                group.addTask { [log] in
                    // Asked each time, since sessions can exchange their cameras.
                    for await _ in stream where camera.device.driver == "v4l2" {
                        log.debug("a video device has appeared", metadata: ["device.id": "\(camera.device.id)"])
                        await camera.deviceAppeared()
                    }
                }
            }
            group.addTask { await arrivals.follow(watch) }
        }
    }
}
