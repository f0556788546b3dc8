import CameraKit
import CaptureEngine
import CaptureModel
import ClockSync
import Logging
import PosixSupport
import RigConfiguration
import Sound

/// Lets the sessions of cameras and microphones retry at once when their backend announces a device, before their next
/// scheduled attempt.
struct HotPlug: Sendable {
    let backends: [any CaptureBackend]
    let sessions: [CaptureSession]
    let microphones: [SoundSession]
    let log: Logger

    /// Runs until the task is cancelled. If a backend cannot report its devices, logs this once; the attempts at
    /// intervals remain.
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
            log.notice("no device events; the agent looks for devices at intervals", metadata: ["reason": "\(error)"])
            return
        }
        let arrivals = DeviceArrivals()
        let driver = backend.name
        await withDiscardingTaskGroup { group in
            for camera in sessions {
                let stream = arrivals.stream()
                group.addTask { [log] in
                    // Checked each time, because sessions can exchange their cameras.
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

extension DeviceConfiguration {
    /// Returns the description that the rig gets before the device is opened.
    func description(on node: NodeName) -> DeviceDescription {
        DeviceDescription(
            id: DeviceID(node: node, device: name), type: type, position: position, labels: labels, purpose: purpose,
            orientation: orientation, mirrored: mirrored ? true : nil, driver: source.key)
    }

    var formatRequest: FormatRequest {
        FormatRequest(
            pixelFormat: format.pixelFormat, width: format.width, height: format.height,
            framesPerSecond: format.framesPerSecond)
    }
}

extension MicrophoneConfiguration {
    /// Returns the description that the rig gets before the device is opened.
    func description(on node: NodeName) -> DeviceDescription {
        DeviceDescription(
            id: DeviceID(node: node, device: name), mediaType: .audio, type: .microphone, position: position,
            labels: labels, purpose: purpose, driver: source.key)
    }

    var formatRequest: AudioFormatRequest {
        AudioFormatRequest(sampleRate: sampleRate, channels: channels)
    }
}

/// A bounded queue from senders that must not wait to one reader. The newest elements stay; dropped ones are counted.
/// Safe from any thread.
package final class NewestQueue<Element: Sendable>: Sendable {
    /// For one reader.
    package let elements: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation
    private let lost = Locked<UInt64>(0)

    /// - Parameter limit: Number of elements that may wait.
    init(limit: Int) {
        (elements, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(limit))
    }

    func yield(_ element: Element) {
        if case .dropped = continuation.yield(element) { lost.withLock { $0 += 1 } }
    }

    /// Returns the number of elements dropped after the last call.
    package func removeLostCount() -> UInt64 {
        lost.withLock { lost in
            defer { lost = 0 }
            return lost
        }
    }
}

/// Detects that the machine or the process was suspended. First the sessions drop what was recorded before, then the
/// estimation of rig time starts again.
struct SuspensionWatch: Sendable {
    let sessions: [CaptureSession]
    let events: NodeEvents
    let estimate: RigClockEstimate
    let clock: any TimeSource
    let log: Logger
    /// Makes the clock channel send probes at once.
    let probe: @Sendable () async -> Void

    /// Runs until the task is cancelled.
    func run() async {
        var detector = SuspensionDetector(at: clock.now(), timeSlept: clock.timeSlept())
        while true {
            // Its own work may take long, and is not a suspension of the process.
            detector.wait(from: clock.now())
            do { try await clock.sleep(for: SuspensionDetector.interval) } catch { return }
            if let suspension = detector.tick(at: clock.now(), timeSlept: clock.timeSlept()) {
                await apply(suspension)
            } else if estimate.isHeld {
                // A sleep between the checks of the detector and the estimate.
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
