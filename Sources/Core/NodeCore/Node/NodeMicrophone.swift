import CameraKit
import CaptureEngine
import CaptureModel
import RigConfiguration
import Sound

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
    /// - Throws: ``CameraError`` for a source that is no microphone.
    init(
        _ configuration: MicrophoneConfiguration, on node: NodeName, clock: any TimeSource, events: NodeEvents,
        log: DeviceLog
    ) throws(CameraError) {
        let changes = NewestQueue<Change>(limit: Self.waitingChanges)
        self.changes = changes
        self.events = events
        self.log = log
        session = SoundSession(
            device: configuration.description(on: node), microphone: try configuration.makeMicrophone(),
            format: configuration.formatRequest, clock: clock
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
