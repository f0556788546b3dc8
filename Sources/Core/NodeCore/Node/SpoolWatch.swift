import CameraKit
import CaptureEngine
package import CaptureModel
import FaultPoints
import Logging
import PosixSupport
import RigConfiguration
import Sound
package import Spool

/// Checks once per second how full the spool is. Stores the result for heartbeats and abilities, and publishes when
/// there is no room for another photo.
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
        var losses: [String: Int] = [:]
        while true {
            await MemberFault.spoolUsage.reached()
            let usage = await spool.usage()
            let hasChanged = gauge.update(usage, needed: await needed())
            let shortage = gauge.shortage
            health.update { ($0.spool, $0.spoolShortage) = (usage, shortage) }
            if hasChanged { tell(shortage, usage) }
            if usage.losses != losses { tellLosses(usage.losses.filter { losses[$0.key] != $0.value }.keys.sorted()) }
            losses = usage.losses
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

    private func tellLosses(_ folders: [String]) {
        for folder in folders {
            log.error(
                "a folder of the spool was removed while the agent runs; it was made again, and what the library does not have of it is lost",
                metadata: ["folder": "\(folder)"])
            events.record(.spoolFolderLost, details: ["folder": folder])
        }
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
    static let spoolFolderLost = EventName(rawValue: "spool.folderLost")
    static let spoolHasRoom = EventName(rawValue: "spool.hasRoom")
}

/// The identity of this agent: its node and its run.
package struct AgentIdentity: Hashable, Sendable {
    package var node: NodeName
    package var epoch: Epoch
    /// `/proc/sys/kernel/random/boot_id`.
    package var bootID: String
    /// Name and version, for people.
    package var software: String

    package init(node: NodeName, epoch: Epoch, bootID: String, software: String) {
        self.node = node
        self.epoch = epoch
        self.bootID = bootID
        self.software = software
    }
}

/// The health of the node's machine. Watchers store it here, so that no heartbeat waits for a disk or a sensor. Safe
/// from any thread.
package final class NodeHealth: Sendable {
    package struct State: Sendable {
        /// nil before the first reading, and if the machine does not report it.
        package var pressure: SystemPressure?
        /// nil before the first reading.
        package var spool: SpoolUsage?
        /// Why the spool has no room for another photo; nil if it has room.
        package var spoolShortage: String?
    }

    private let state = Locked(State())

    var now: State { state.withLock { $0 } }

    func update(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
    }
}

/// One microphone of the node: its session, and the reports of its condition.
struct NodeMicrophone: Sendable {
    let session: SoundSession
    private let changes: NewestQueue<Change>
    private let events: NodeEvents
    private let log: DeviceLog

    private struct Change: Sendable {
        var state: DeviceCondition.State
        var reason: String?
    }

    /// Number of changes that may wait to be journaled, so that a disk that hangs does not fill the memory. The next
    /// event states how many were dropped.
    private static let waitingChanges = 64

    /// Creates the session without opening anything.
    /// - Throws: ``CameraError`` for a source that is not a microphone.
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

    /// Serves until the task is cancelled, then closes the microphone.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await session.run() }
            group.addTask { await tell() }
        }
    }

    /// Logs and journals every change, until the task is cancelled.
    func tell() async {
        for await change in changes.elements {
            let condition = DeviceCondition(state: change.state, reason: change.reason)
            log.note(session.device.id, session.device.mediaType, condition)
            let lost = changes.removeLostCount()
            var details: [String: String] = [:]
            details["reason"] = change.reason
            if lost > 0 { details["lost"] = "\(lost)" }
            events.record(.device(change.state), device: session.device.id, details: details)
        }
    }
}

/// Whether the spool has room for another photo, so that a shortage is reported before a trigger fails.
///
/// | room | if there was room | if there was none |
/// |---|---|---|
/// | less than the camera with the largest pictures needs | shortage begins | – |
/// | less than twice that | – | – |
/// | more | – | shortage ends |
///
/// While no camera runs, the needed room is unknown, and only what keeps the spool from accepting any photo counts. A value without a disk.
struct SpoolGauge: Sendable {
    /// Why there is no room; nil while there is.
    private(set) var shortage: String?
    /// Whether the shortage holds for photos of any size.
    private var isForAll = false

    /// - Parameter needed: Bytes that the next photo of the camera with the largest pictures needs; nil if no camera
    ///   runs.
    /// - Returns: Whether a shortage began or ended.
    mutating func update(_ usage: SpoolUsage, needed: Int64?) -> Bool {
        let had = shortage
        guard let needed else {
            if usage.obstacle != nil || isForAll { shortage = usage.obstacle }
            isForAll = usage.obstacle != nil
            return (had == nil) != (shortage == nil)
        }
        isForAll = usage.obstacle != nil
        if let reason = usage.shortage(of: needed) {
            shortage = reason
        } else if usage.shortage(of: needed > .max / 2 ? .max : needed * 2) == nil {
            shortage = nil
        }
        return (had == nil) != (shortage == nil)
    }
}
