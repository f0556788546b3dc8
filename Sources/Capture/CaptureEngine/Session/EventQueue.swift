public import CameraSettings
public import CaptureModel
public import FaultPoints
public import PosixSupport
public import Sound
public import Spool

/// Reports a session's events in order, one at a time. The waiting events are bounded by their sources (captures in
/// progress, commands, the camera), because each waits until its own events are reported.
final class EventQueue {
    private struct Backlog {
        var events: [SessionEvent]
        /// The callers that wait until the events are reported, except the first, which reports them.
        var waiters: [CheckedContinuation<Bool, Never>] = []
    }

    private enum State {
        case idle
        case telling(Backlog)
    }

    private var state = State.idle
    private let observer: @Sendable (SessionEvent) async -> Void

    init(observer: @escaping @Sendable (SessionEvent) async -> Void) {
        self.observer = observer
    }

    /// Whether everything is reported.
    var isIdle: Bool { if case .idle = state { true } else { false } }

    /// Returns when the events have been reported.
    func tell(_ events: [SessionEvent]) async {
        guard !events.isEmpty, await begins(with: events) else { return }
        while let event = next() { await observer(event) }
        guard case .telling(let backlog) = state else { return }
        state = .idle
        for waiter in backlog.waiters { waiter.resume(returning: false) }
    }

    /// Returns whether the caller must report the events; otherwise returns when another has reported them. The check
    /// of the state and its consequence are one step.
    private func begins(with events: [SessionEvent]) async -> Bool {
        await withCheckedContinuation { waiter in
            switch state {
            case .idle:
                state = .telling(Backlog(events: events))
                waiter.resume(returning: true)
            case .telling(var backlog):
                backlog.events += events
                backlog.waiters.append(waiter)
                state = .telling(backlog)
            }
        }
    }

    private func next() -> SessionEvent? {
        guard case .telling(var backlog) = state, !backlog.events.isEmpty else { return nil }
        defer { state = .telling(backlog) }
        return backlog.events.removeFirst()
    }
}

/// An event of a running session. There is none per frame.
public enum SessionEvent: Hashable, Sendable {
    /// The state of the session's device changed, or its reason.
    case conditionChanged(DeviceID, DeviceCondition)
    /// A notice of the session. The device is its input.
    case session(DeviceID, SessionNotice)
    /// A capture has reached a step of its life cycle.
    case lifeCycle(CaptureKey, LifeCycleStep)
    /// The stream has returned from a capture's format switch. Carries the gap.
    case streamGap(CaptureKey, StreamGap)
    /// An owed file of a capture exists, or will not. Carries the updated capture.
    case captureGrew(CaptureReport)
    /// A recording has begun or ended.
    case recording(CaptureKey, RecordingNotice)
    /// The session's device shows another scene. Only if ``CaptureSession/setSceneChangeMonitoring(_:)`` enables it.
    case sceneChanged(DeviceID, SceneChange)
    /// A settings transaction has set the camera or failed, or was undone.
    case settings(DeviceID, SettingsNotice)

    /// The device of the event.
    public var device: DeviceID {
        switch self {
        case .conditionChanged(let device, _), .session(let device, _), .sceneChanged(let device, _),
            .settings(let device, _):
            device
        case .lifeCycle(let key, _), .streamGap(let key, _), .recording(let key, _): key.device
        case .captureGrew(let report): report.key.device
        }
    }
}

/// The points at which a camera's session waits.
public enum SessionFault: String, TaskFaultPoint {
    /// The capture is fired, but the frame of T is not chosen yet.
    case frame = "session.wait.frame"
    /// A frame is chosen, but nothing of it is stored yet.
    case chosen = "session.wait.store"
    /// The camera is closed until it is needed or retried.
    case idle = "session.wait.idle"
    /// The camera is about to be opened.
    case opening = "session.wait.open"
    /// The watchdog of a stream.
    case stall = "session.wait.stall"
}

/// The times and sizes of a session.
public struct SessionPolicy: Hashable, Sendable {
    /// The time span of the ring.
    public var ringDepth: Duration
    /// Limit on the bytes of images in the ring: this camera's share of the node's budget.
    public var ringByteLimit: Int
    /// A stream without a good frame for this long, or for several frame intervals if these are longer, is restarted.
    public var stallTimeout: Duration
    /// The same before its first good frame, for which some cameras take seconds.
    public var firstFrameTimeout: Duration
    /// Delays between attempts to start a camera: the first, doubled each time up to the last.
    public var firstRetry: Duration
    public var lastRetry: Duration
    /// The limit of how far ahead T may be.
    public var maximumLead: Duration
    /// Encoder quality, 1 to 100, if the settings of a shot do not name one and the camera delivers no JPEG.
    public var quality: Int
    /// Whether the camera runs while nothing needs it.
    public var standby: StandbyPolicy
    /// Failures in a row after which the session gives up, until it is resumed.
    public var failureLimit: Int
    /// After running for this long, a session's earlier failures do not count.
    public var goodPeriod: Duration
    /// Whether captures may have a companion clip, if the ring is deep enough for one (``LivePhotoMovie/ringDepth``).
    public var isLivePhotoEnabled: Bool
    /// Whether a clip must have sound. Otherwise it is silent if there is none, and says so.
    public var isClipSoundRequired: Bool
    /// How the camera is aligned with the rig's time, from the start of the session; nil: its exposures run free.
    public var alignment: AlignmentRequest?
    /// When a change of the scene is reported, from the start of the session; nil for never.
    public var sceneChange: SceneChangeSettings?
    /// Bytes of the spool that a movie leaves to stills. With less, it is refused or ended.
    public var movieHeadroom: Int64
    /// Bytes of a recording's frames that may wait for the disk. Beyond it, frames are dropped and counted.
    public var movieQueueByteLimit: Int

    public init(
        ringDepth: Duration = .seconds(3), ringByteLimit: Int = 128 << 20, stallTimeout: Duration = .seconds(2),
        firstFrameTimeout: Duration = .seconds(5), firstRetry: Duration = .milliseconds(250),
        lastRetry: Duration = .seconds(5),
        maximumLead: Duration = .seconds(60), quality: Int = 90, standby: StandbyPolicy = .always,
        failureLimit: Int = 10, goodPeriod: Duration = .seconds(10), isLivePhotoEnabled: Bool = true,
        isClipSoundRequired: Bool = false, alignment: AlignmentRequest? = nil,
        sceneChange: SceneChangeSettings? = nil, movieHeadroom: Int64 = 64 << 20,
        movieQueueByteLimit: Int = 64 << 20
    ) {
        self.ringDepth = ringDepth
        self.ringByteLimit = ringByteLimit
        self.stallTimeout = stallTimeout
        self.firstFrameTimeout = firstFrameTimeout
        self.firstRetry = firstRetry
        self.lastRetry = lastRetry
        self.maximumLead = maximumLead
        self.quality = quality
        self.standby = standby
        self.failureLimit = failureLimit
        self.goodPeriod = goodPeriod
        self.isLivePhotoEnabled = isLivePhotoEnabled
        self.isClipSoundRequired = isClipSoundRequired
        self.alignment = alignment
        self.sceneChange = sceneChange
        self.movieHeadroom = movieHeadroom
        self.movieQueueByteLimit = movieQueueByteLimit
    }

    var limits: SessionMachine.Limits {
        SessionMachine.Limits(failures: failureLimit, firstRetry: firstRetry, lastRetry: lastRetry)
    }
}

/// The services that a session uses in addition to its camera: clocks, the store of its captures, and those that a
/// node's sessions share.
public struct SessionServices: Sendable {
    public var clock: any TimeSource
    public var rigClock: any RigTimeSource
    public var spool: Spool
    /// The session's own thread.
    public var executor: ThreadExecutor
    /// The meter of the scene and of changes of settings; if nil, the session's thread measures them.
    public var sceneMeter: SceneMeter?
    /// The maker of the captures' companion clips; nil if there are none.
    public var clipMaker: ClipMaker?
    /// The encoder of clips and stills, which also makes motion photos; nil if these are not available.
    public var deferred: DeferredProcessor?
    /// The source of the sound of clips and movies; nil if the camera has no microphone.
    public var clipSound: (any ClipSoundSource)?
    /// The developer of a sensor's mosaic; if nil, the session's thread develops it.
    public var developer: RawDeveloper?
    /// The recorder of takes; nil if nothing is recorded.
    public var movieOutput: MovieFileOutput?
    /// What is known of models of cameras.
    public var cameras: CameraCatalogue
    /// The files of cameras that were measured at this node; nil if none are kept.
    public var cameraFiles: CameraFiles?
    /// The observer, called for every change, in order. The session waits for it, so it must be quick and must not call
    /// the session.
    public var observer: @Sendable (SessionEvent) async -> Void

    public init(
        clock: any TimeSource, rigClock: any RigTimeSource, spool: Spool, executor: ThreadExecutor,
        sceneMeter: SceneMeter? = nil, clipMaker: ClipMaker? = nil, deferred: DeferredProcessor? = nil,
        clipSound: (any ClipSoundSource)? = nil, developer: RawDeveloper? = nil, movieOutput: MovieFileOutput? = nil,
        cameras: CameraCatalogue = .shipped, cameraFiles: CameraFiles? = nil,
        observer: @escaping @Sendable (SessionEvent) async -> Void
    ) {
        self.clock = clock
        self.rigClock = rigClock
        self.spool = spool
        self.executor = executor
        self.sceneMeter = sceneMeter
        self.clipMaker = clipMaker
        self.deferred = deferred
        self.clipSound = clipSound
        self.developer = developer
        self.movieOutput = movieOutput
        self.cameras = cameras
        self.cameraFiles = cameraFiles
        self.observer = observer
    }
}

extension SessionServices {
    /// Returns why a clip or movie would be silent; nil if there is sound.
    func silence() async -> String? {
        guard let clipSound else { return "no microphone belongs to this camera" }
        return await clipSound.silence()
    }
}
