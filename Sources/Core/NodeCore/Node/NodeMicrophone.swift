import ALSAMicrophone
import CameraKit
import CaptureEngine
import CaptureModel
import RigConfiguration
import VirtualDevices

/// One microphone of the node: its session, and the telling of what becomes of it.
struct NodeMicrophone: Sendable {
    let session: SoundSession
    private let changes: NewestQueue<Change>
    private let events: NodeEvents
    private let log: DeviceLog

    private struct Change: Sendable {
        var state: DeviceCondition.State
        var reason: String?
    }

    /// Changes that may wait to be journaled, since a disk that hangs must not fill the memory; for how many beyond it stands,
    /// the next event says.
    private static let waitingChanges = 64

    /// Nothing is opened.
    init(
        _ configuration: MicrophoneConfiguration, on node: NodeName, clock: any TimeSource, events: NodeEvents,
        log: DeviceLog
    ) {
        let changes = NewestQueue<Change>(limit: Self.waitingChanges)
        self.changes = changes
        self.events = events
        self.log = log
        session = SoundSession(
            device: configuration.description(on: node), microphone: configuration.makeMicrophone(),
            format: AudioFormatRequest(sampleRate: configuration.sampleRate, channels: configuration.channels),
            clock: clock
        ) { state, reason in changes.yield(Change(state: state, reason: reason)) }
    }

    /// Serves until the task is cancelled; the microphone is closed then.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await session.run() }
            group.addTask { await tell() }
        }
    }

    /// Tells of every change, until the task is cancelled.
    func tell() async {
        for await change in changes.elements {
            let condition = DeviceCondition(state: change.state, reason: change.reason)
            log.note(session.device.id, session.device.mediaType, condition)
            let lost = changes.takeLost()
            var details: [String: String] = [:]
            details["reason"] = change.reason
            if lost > 0 { details["lost"] = "\(lost)" }
            events.record(.device(change.state), device: session.device.id, details: details)
        }
    }
}

extension MicrophoneConfiguration {
    /// The microphone this configuration names. It is not opened.
    fileprivate func makeMicrophone() -> any Microphone {
        switch source {
        case .virtual(let virtual): VirtualMicrophone(name: name.rawValue, configuration: virtual)
        case .alsa(let device): ALSAMicrophone(name: name.rawValue, device: device, latencyOffset: latencyOffset)
        }
    }

    /// What the rig is told of the device before it is opened.
    fileprivate func description(on node: NodeName) -> DeviceDescription {
        let driver =
            switch source {
            case .virtual: "virtual"
            case .alsa: "alsa"
            }
        return DeviceDescription(
            id: DeviceID(node: node, device: name), mediaType: .audio, type: .microphone, position: position,
            labels: labels, purpose: purpose, driver: driver)
    }
}
