import CameraKit
import CaptureEngine
import CaptureModel
import Logging
import PosixSupport
import Sound

/// Lets the sessions of cameras and microphones try at once when their backend announces a device, instead of at their
/// next attempt.
struct HotPlug: Sendable {
    let backends: [any CaptureBackend]
    let sessions: [CaptureSession]
    let microphones: [SoundSession]
    let log: Logger

    /// Runs until the task is cancelled. Where nothing can be heard of a backend's devices, it says so once, and the
    /// attempts at intervals remain.
    func run() async {
        await withDiscardingTaskGroup { group in
            for backend in backends where isUsed(backend) { group.addTask { await follow(backend) } }
        }
    }

    private func isUsed(_ backend: any CaptureBackend) -> Bool {
        sessions.contains { $0.device.driver == backend.name }
            || microphones.contains { $0.device.driver == backend.name }
    }

    private func follow(_ backend: any CaptureBackend) async {
        let announced: AsyncStream<Void>
        do throws(PosixError) {
            guard let stream = try backend.arrivals() else { return }
            announced = stream
        } catch {
            log.notice("no device events; devices are looked for at intervals", metadata: ["reason": "\(error)"])
            return
        }
        let arrivals = DeviceArrivals()
        let driver = backend.name
        await withDiscardingTaskGroup { group in
            for camera in sessions {
                let stream = arrivals.stream()
                group.addTask { [log] in
                    // Asked each time, since sessions can exchange their cameras.
                    for await _ in stream where camera.device.driver == driver {
                        log.debug("a video device has appeared", metadata: ["device.id": "\(camera.device.id)"])
                        await camera.deviceAppeared()
                    }
                }
            }
            for microphone in microphones where microphone.device.driver == driver {
                let stream = arrivals.stream()
                group.addTask { for await _ in stream { await microphone.devicesChanged() } }
            }
            group.addTask { await arrivals.follow(announced) }
        }
    }
}
