public import CaptureModel

/// An event of a shot. Events may be repeated, late and in any order; see `docs/design/shot.md`.
///
/// Before it passes on an event of a node, the caller has checked that the message is from the node's present run and
/// that it names only the node's devices.
public enum ShotEvent: Hashable, Sendable {
    /// The caller is ready for actions. The first event of every machine.
    case begin
    /// The manifest of this revision has been written and synced.
    case manifestDurable(revision: Int)
    /// The manifest of this revision could not be written.
    case manifestFailed(revision: Int, RigProblem)
    /// The node has pinned the frames of the window.
    case armed(DeviceID, ResolvedPhotoSettings)
    /// The node will not take part with this camera.
    case refused(DeviceID, RigProblem)
    /// The frame is chosen and its photo is durable in the node's spool. Also a later report, of a file that was owed.
    case captured(CaptureReport)
    /// The node was armed, but there is no file.
    case captureMissed(DeviceID, RigProblem)
    /// The file is durable in the library, with the announced bytes.
    case stored(FileKey, path: String, at: RigTime)
    /// The file cannot be fetched or stored: the library is full, the bytes are wrong after retries, or the node lost
    /// it.
    case storingFailed(FileKey, RigProblem)
    /// The node said hello. `inventory` has the reports of the captures in its spool; those of other shots are ignored.
    /// `epochChanged` means that the node's agent is another run than the last connected one.
    case nodeConnected(NodeName, epochChanged: Bool, inventory: [CaptureReport])
    case nodeDisconnected(NodeName)
    /// A connected node lists a capture of its spool, after its hello.
    case offered(CaptureReport)
    /// The capture's files were removed from the node's spool on request.
    case discarded(DeviceID, RigProblem)
    /// `nextDeadline` has been reached.
    case deadlinePassed
    /// The client or a person ends the shot. Existing captures are still collected.
    case cancelRequested
    /// A client waits for the answer, at most until this instant. No effect if the schedule already has an instant.
    case awaited(until: RigTime)
    /// A client stops the take at this instant.
    case stopRequested(at: RigTime)
    /// A client sets a mark in the take.
    case marked(TakeMark)
}

/// An action of the coordinator for a shot. Every action may be repeated and must be idempotent at its receiver.
public enum ShotAction: Hashable, Sendable {
    /// Write and sync this manifest, then send `manifestDurable` or `manifestFailed`. At most one is outstanding.
    case writeManifest(Shot)
    /// Ask the node to arm these cameras.
    case prepare(NodeName, [DeviceID])
    /// Tell the node to choose frames, and for a stopped take, when its recordings end (``ShotMachine/toldStop``).
    /// Repeated while there is no report, and slowly while a file is owed.
    case fire(NodeName, [DeviceID])
    /// Tell the node that these cameras' pins are not needed. Files in its spool stay.
    case cancel(NodeName, [DeviceID])
    /// Fetch the file into the library, then send `stored` or `storingFailed`. Repeated when the node connects.
    case collect(FileKey, byteCount: Int64, digest: ContentDigest)
    /// The file's outcome is durable, so the node may delete its copy. Lost if the node is not connected; its next
    /// inventory repeats it.
    case release(FileKey, ContentDigest)
    /// The file's failure is durable, so the node need not report it again. Like `release`, a lost one is repeated.
    case forget(FileKey)
    /// Progress for the client that waits.
    case progress(ShotProgressReport)
    /// The client's answer. Once.
    case answer(Shot)
    /// The client's timeout has passed and no manifest is durable. The client gets the reason why the outcome is
    /// unknown. Once.
    case giveUp(RigProblem)
    /// For a take: the client's timeout has passed before the take had begun. Carries the durable state. Once.
    case overdue(Shot)
    /// For a take: every camera records, or has reported that it does not, and a durable manifest says so. Once.
    case began(Shot)
    /// For a take: it ends at this instant. Once, before any node learns of it.
    case stopped(RigTime)
    /// For a take: a mark is set, and a durable manifest says so. Once.
    case marked(TakeMark)
    /// A durable revision of a settled shot: the first, and one for each late improvement.
    case finished(Shot)
    /// A node contradicts itself. Must be logged.
    case warn(CaptureKey, RigProblem)
}

/// The progress of a shot, and the changes after the last progress.
public struct ShotProgressReport: Hashable, Sendable {
    public var shot: ShotID
    public var stage: ShotStage
    /// Number of captures in each phase; empty phases are absent. A capture counts as done only when that is durable.
    public var phases: [Capture.Phase: Int]
    /// Number of `captured` captures whose photo is durable in the library, and that wait for a companion file, such as
    /// a clip.
    public var awaitingCompanions: Int
    /// The captures whose phase changed, in order of device id.
    public var changed: [Change]

    /// The state of one capture.
    public struct Change: Hashable, Sendable {
        public var device: DeviceID
        public var phase: Capture.Phase
        public var problem: RigProblem?

        public init(device: DeviceID, phase: Capture.Phase, problem: RigProblem? = nil) {
            self.device = device
            self.phase = phase
            self.problem = problem
        }
    }

    public init(
        shot: ShotID, stage: ShotStage, phases: [Capture.Phase: Int], awaitingCompanions: Int = 0, changed: [Change]
    ) {
        self.shot = shot
        self.stage = stage
        self.phases = phases
        self.awaitingCompanions = awaitingCompanions
        self.changed = changed
    }

    init(shot: ShotID, stage: ShotStage, steps: [Step], changed: [Change]) {
        self.init(
            shot: shot, stage: stage, phases: Dictionary(steps.map { ($0.phase, 1) }, uniquingKeysWith: +),
            awaitingCompanions: steps.count(where: \.awaitsCompanions), changed: changed)
    }

    /// The progress of one capture.
    struct Step: Hashable, Sendable {
        var phase: Capture.Phase
        /// Whether the capture is `captured`, its photo is durable in the library, and a companion file is outstanding.
        var awaitsCompanions = false
    }
}

/// The stage of a shot.
public enum ShotStage: String, Hashable, Codable, Sendable, CaseIterable {
    /// The first manifest is being written. Nothing has left the coordinator.
    case recording
    /// Nodes have been asked to arm.
    case arming
    /// Nodes have been told to choose. Files are being collected, or everything is settled.
    case resolving
}

/// The deadlines of a shot, as rig times on the shot's line.
public struct ShotSchedule: Hashable, Sendable {
    /// Cameras that are not armed by then are missed, and the others fire.
    public var armDeadline: RigTime
    /// Captures without a report by then are provisionally missed. Not before `armDeadline`. Nodes keep their pins at
    /// least until then.
    public var resolutionDeadline: RigTime
    /// When the client stops waiting, for a take: for its beginning. nil waits until the shot is settled.
    public var answerDeadline: RigTime?
    /// Interval at which prepare, fire and a failed write are repeated; at least 1 ms.
    public var repeatInterval: Duration
    /// How long changes of an open shot may wait for further changes before they are written.
    public var writeDelay: Duration

    public init(
        armDeadline: RigTime, resolutionDeadline: RigTime, answerDeadline: RigTime? = nil,
        repeatInterval: Duration = .milliseconds(250), writeDelay: Duration = .milliseconds(100)
    ) {
        self.armDeadline = armDeadline
        self.resolutionDeadline = max(resolutionDeadline, armDeadline)
        self.answerDeadline = answerDeadline
        self.repeatInterval = max(repeatInterval, .milliseconds(1))
        self.writeDelay = max(writeDelay, .zero)
    }

    /// Creates the schedule of a shot that is accepted or resumed at `now`.
    /// - Parameters:
    ///   - time: T. Nothing is chosen before it, so cameras may be armed until then.
    ///   - arming: How long nodes may take to answer a prepare.
    ///   - grace: How long reports may take after T, or after the arm deadline if that is later.
    ///   - timeout: The client's timeout, counted from `now`.
    public init(
        time: RigTime, now: RigTime, arming: Duration = .seconds(1), grace: Duration = .seconds(3),
        timeout: Duration? = nil, repeatInterval: Duration = .milliseconds(250)
    ) {
        let armDeadline = max(now + arming, time)
        self.init(
            armDeadline: armDeadline, resolutionDeadline: armDeadline + grace,
            answerDeadline: timeout.map { now + $0 }, repeatInterval: repeatInterval)
    }
}
