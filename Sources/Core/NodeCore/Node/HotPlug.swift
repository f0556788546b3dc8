import CameraKit
import CaptureEngine
import CaptureModel
import Logging
import PosixSupport

/// Lets the sessions of V4L2 cameras and of ALSA microphones try at once when the system announces a device, instead of
/// at their next attempt.
struct HotPlug: Sendable {
    let sessions: [CaptureSession]
    let microphones: [SoundSession]
    let log: Logger

    /// Runs until the task is cancelled. Where nothing can be heard, it says so once, and the attempts at intervals
    /// remain.
    func run() async {
        let alsa = microphones.filter { $0.device.driver == "alsa" }
        guard sessions.contains(where: { $0.device.driver == "v4l2" }) || !alsa.isEmpty else { return }
        let watch: DeviceWatch
        do throws(PosixError) {
            watch = try DeviceWatch(subsystems: alsa.isEmpty ? ["video4linux"] : ["video4linux", "sound"])
        } catch {
            log.notice("no device events; devices are looked for at intervals", metadata: ["reason": "\(error)"])
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
            for microphone in alsa {
                let stream = arrivals.stream()
                group.addTask { for await _ in stream { await microphone.devicesChanged() } }
            }
            group.addTask { await arrivals.follow(watch) }
        }
    }
}
