public import CaptureModel

/// Detects from samples of a scene, a few per second, when the scene has changed. A value without a clock or a camera.
///
/// The table is in `docs/design/photo.md`. ``SceneChangeLimit`` decides which changes are reported, and which are only
/// counted.
struct SceneChangeDetector: Hashable, Sendable {
    /// The part of the threshold below which a sample is near.
    private static let nearness = 0.75
    private static let followingShare = 1.0 / 8
    private static let steadyShare = 1.0 / 16

    private enum State: Hashable, Sendable {
        case following(near: Int)
        case steady(far: Int)
    }

    let settings: SceneChangeSettings
    private var reference: SceneGrid?
    private var state = State.following(near: 0)
    private var limit = SceneChangeLimit()

    init(_ settings: SceneChangeSettings) {
        self.settings = settings
    }

    /// Drops the scene, for example if the camera was closed. The next view is not compared with it, and an unreported
    /// change may belong to another camera.
    mutating func forget() {
        limit.forgetWaiting()
        reference = nil
        state = .following(near: 0)
    }

    /// Adds the next sample.
    /// - Parameter time: Its mid-exposure.
    /// - Returns: The change to report.
    mutating func add(_ sample: SceneGrid, at time: LocalTime) -> SceneChange? {
        let difference = reference.map(sample.difference(from:)) ?? 0
        let hasChanged = follow(sample, difference)
        let change = SceneChange(
            time: time, difference: Int(difference.rounded()), luma: Int(sample.mean.rounded()))
        return limit.pass(hasChanged ? change : nil, at: time)
    }

    /// - Returns: Whether the scene has changed.
    private mutating func follow(_ sample: SceneGrid, _ difference: Double) -> Bool {
        guard reference != nil else {
            reference = sample
            return false
        }
        switch state {
        case .following(let near):
            let isNear = difference < Double(settings.threshold) * Self.nearness
            state = isNear && near > 0 ? .steady(far: 0) : .following(near: isNear ? 1 : 0)
            reference?.approach(sample, by: Self.followingShare)
        case .steady where difference < Double(settings.threshold):
            state = .steady(far: 0)
            reference?.approach(sample, by: Self.steadyShare)
        case .steady(far: 0):
            state = .steady(far: 1)
        case .steady:
            (state, reference) = (.following(near: 0), sample)
            return true
        }
        return false
    }
}

/// A change of a camera's scene, after AVFoundation's `AVCaptureDeviceSubjectAreaDidChange`: a reason to focus and
/// expose again, if the camera does not do so automatically.
public struct SceneChange: Hashable, Sendable {
    /// Mid-exposure of the frame that showed it.
    public var time: LocalTime
    /// The mean difference of the luma of the picture's twelfths from the earlier scene, of 255.
    public var difference: Int
    /// Mean luma of that frame, 0 black to 255 white.
    public var luma: Int
    /// The number of changes that this represents: more than 1 if earlier ones followed the last reported one too soon.
    public var count: Int

    public init(time: LocalTime, difference: Int, luma: Int, count: Int = 1) {
        self.time = time
        self.difference = difference
        self.luma = luma
        self.count = count
    }
}

/// Limits the rate of scene changes. A change that is too soon waits, the newest replaces earlier ones, and it is
/// reported with their count when the interval is over.
struct SceneChangeLimit: Hashable, Sendable {
    /// The shortest time between two reported changes.
    static let interval = Duration.seconds(5)

    private var lastTold: LocalTime?
    private var waiting: SceneChange?

    /// - Parameters:
    ///   - change: A change that has occurred, if any.
    ///   - now: An instant not before those of earlier calls.
    /// - Returns: The change to report.
    mutating func pass(_ change: SceneChange?, at now: LocalTime) -> SceneChange? {
        if var change {
            change.count += waiting?.count ?? 0
            waiting = change
        }
        guard let waiting, lastTold.map({ now >= $0 + Self.interval }) ?? true else { return nil }
        (lastTold, self.waiting) = (now, nil)
        return waiting
    }

    mutating func forgetWaiting() {
        waiting = nil
    }
}

/// Reports when a session's camera shows another scene, and has the camera focus then, as far as each is enabled. Owns the
/// learned scene; a ``SceneMeter`` measures frames, at most one at a time.
final class SceneMonitor: CaptureOutput {
    private unowned let session: any SessionAccess
    private let controls: CameraControls
    private let meter: SceneMeter
    /// nil if changes of the scene are not watched for.
    private(set) var watch: SceneWatch?
    /// nil if they are not reported.
    private(set) var reporting: SceneChangeSettings?
    /// The queue of frames of the running stream to be measured.
    private var frames: AsyncStream<PictureFrame>.Continuation?

    /// - Parameter controls: Frames with controls set for a capture do not show the scene.
    init(_ session: any SessionAccess, controls: CameraControls) {
        self.session = session
        self.controls = controls
        meter = session.services.sceneMeter ?? SceneMeter(executor: session.services.executor)
        reporting = session.policy.sceneChange
        watch = reporting.map(SceneWatch.init)
    }

    /// - Parameter settings: nil disables monitoring. The learned scene is dropped.
    func setMonitoring(_ settings: SceneChangeSettings?) {
        reporting = settings
        watch = settings.map(SceneWatch.init)
    }

    /// Begins or ends to watch for the camera's focus alone.
    private func followRefocusing() {
        if controls.refocusing.isOn {
            if watch == nil { watch = SceneWatch(SceneChangeSettings()) }
        } else if reporting == nil, watch != nil {
            watch = nil
        }
    }

    /// Passes on a good frame to be measured, if its turn has come.
    func receive(_ frame: RingFrame, from stream: OpenStream) {
        followRefocusing()
        guard stream.purpose == .session, watch != nil, controls.areAsFound, let picture = frame.picture,
            watch?.begins(frame.midExposure) == true
        else { return }
        frames?.yield(picture)
    }

    /// Measures the frames of one stream, until the calling task is cancelled.
    func watchStream() async {
        let (pictures, continuation) = AsyncStream.makeStream(
            of: PictureFrame.self, bufferingPolicy: .bufferingNewest(1))
        watch?.begin()
        frames = continuation
        for await picture in pictures {
            let scene = await meter.scene(of: picture.jpeg)
            watch?.end()
            guard let scene, let change = watch?.detector.add(scene, at: picture.midExposure) else { continue }
            controls.refocusing.sceneChanged(change)
            if reporting != nil { await session.tell([.sceneChanged(session.device.id, change)]) }
        }
    }
}

/// Reports of scene changes.
extension CaptureSession {
    /// Whether changes of the scene are reported; after AVFoundation's `isSubjectAreaChangeMonitoringEnabled`.
    public var isSceneChangeMonitoringEnabled: Bool { scene.reporting != nil }

    /// Enables or disables reports of scene changes as ``SessionEvent/sceneChanged(_:_:)``, from the next frame on.
    ///
    /// Four frames per second are measured, on the thread of the session's ``SceneMeter``; without monitoring, none.
    /// The setting belongs to the session and outlasts stops and switches. The scene is learned again after each start.
    /// - Parameter settings: nil disables monitoring. The learned scene is dropped.
    public func setSceneChangeMonitoring(_ settings: SceneChangeSettings?) {
        scene.setMonitoring(settings)
    }
}

/// Selects the frames of a session that are checked for changes of the scene.
struct SceneWatch: Sendable {
    /// The shortest time between two checked frames.
    static let interval = Duration.milliseconds(250)

    var detector: SceneChangeDetector
    /// Whether a frame is being measured. No other is accepted until then.
    private(set) var isMeasuring = false
    private var last: LocalTime?

    init(_ settings: SceneChangeSettings) {
        detector = SceneChangeDetector(settings)
    }

    /// Notes that the stream begins. The camera may have been moved while it was closed.
    mutating func begin() {
        detector.forget()
        (isMeasuring, last) = (false, nil)
    }

    /// Returns whether to measure a frame with this mid-exposure. If so, no other is measured before ``end()``.
    mutating func begins(_ time: LocalTime) -> Bool {
        guard !isMeasuring, last.map({ time >= $0 + Self.interval }) ?? true else { return false }
        (isMeasuring, last) = (true, time)
        return true
    }

    /// Notes that the frame has been measured.
    mutating func end() {
        isMeasuring = false
    }
}
