import CameraKit
import CaptureModel

/// The captures of a session: those that are being armed, those that are in progress until their files are made or another
/// output continues them, and those that were given up; with the tasks that wait for them.
final class CaptureList {
    /// Limit on the captures that one camera has in progress.
    static let limit = 64

    private let clock: any TimeSource
    /// Captures that are being armed.
    private var claims: [CaptureKey: CaptureClaim] = [:]
    private var captures: [CaptureKey: PendingCapture] = [:]
    /// Captures that were given up, with the reason; at most as many as may be in progress.
    private var lost: [CaptureKey: RigProblem] = [:]
    /// Alarms of the tasks that arm the camera and wait for a frame, by capture. If two tasks arm it for the same
    /// capture, the later one has the alarm. The other checks again when its time is over.
    private var frameAlarms: [CaptureKey: Alarm] = [:]

    init(clock: any TimeSource) { self.clock = clock }

    // MARK: What is in progress

    subscript(_ key: CaptureKey) -> PendingCapture? { captures[key] }

    /// Captures that are armed or fired, in order.
    var keys: [CaptureKey] { captures.keys.sorted() }

    /// Whether no capture is armed or fired.
    var isEmpty: Bool { captures.isEmpty }

    /// Whether any capture is being armed.
    var isBeingArmed: Bool { !claims.isEmpty }

    /// Whether a capture has the camera for itself.
    var isCameraTaken: Bool {
        captures.values.contains(where: \.hasCamera) || claims.values.contains(where: \.hasCamera)
    }

    /// Whether a movie is being armed, or is armed and has no frame yet.
    var isMovieArmed: Bool { claims.values.contains { $0.order.settings.movie != nil } || !armedTakes.isEmpty }

    /// Takes that are armed for recording and have no frame yet.
    var armedTakes: [CaptureKey] { captures.filter { $0.value.order.settings.movie != nil }.map(\.key).sorted() }

    /// Whether one waits for its frames.
    var isFrameAwaited: Bool { captures.values.contains { $0.isFired && !$0.isChosen } }

    /// Whether files of one are being made.
    var isProcessing: Bool { captures.values.contains(where: \.isChosen) }

    /// The number that have a clip.
    var clipCount: Int { captures.values.count { $0.clip != nil } }

    /// The orders whose captures wait to be fired.
    var unfiredOrders: [CaptureOrder] { captures.values.filter { !$0.isFired }.map(\.order) }

    /// A capture whose format switch has not been made yet.
    var awaitingFormatSwitch: PendingCapture? { captures.values.first(where: \.awaitsFormatSwitch) }

    /// Returns the number of captures in progress or being armed.
    /// - Parameter key: A capture that is not counted if it is being armed.
    func count(besides key: CaptureKey? = nil) -> Int { captures.count + claims.keys.count { $0 != key } }

    // MARK: Arming

    func isClaimed(_ key: CaptureKey) -> Bool { claims[key] != nil }

    /// Reserves a key, and the camera if the capture needs it alone.
    func claim(_ order: CaptureOrder, hasCamera: Bool) {
        claims[order.key] = CaptureClaim(order: order, hasCamera: hasCamera)
    }

    /// Notes whether a capture that is being armed needs the camera alone after all.
    func claimCamera(_ isNeeded: Bool, for key: CaptureKey) { claims[key]?.hasCamera = isNeeded }

    /// Returns when the capture that another order has claimed is armed or refused.
    func awaitClaim(of key: CaptureKey) async {
        await withCheckedContinuation { waiter in
            if claims[key]?.waiters.append(waiter) == nil { waiter.resume() }
        }
    }

    /// Ends the arming of a capture.
    /// - Parameter capture: The capture in progress; nil if it was refused.
    func endClaim(of key: CaptureKey, with capture: PendingCapture?) {
        if let capture {
            captures[key] = capture
            lost[key] = nil
        }
        let claim = claims.removeValue(forKey: key)
        for waiter in claim?.waiters ?? [] { waiter.resume() }
    }

    // MARK: Progress

    /// Notes the order to choose the frame.
    /// - Returns: nil if no capture waits for it.
    func fire(_ key: CaptureKey) -> PendingCapture? {
        guard captures[key]?.isFired == false else { return nil }
        captures[key]?.stage = .fired
        return captures[key]
    }

    /// Notes that the frames of a capture are chosen.
    func choose(_ key: CaptureKey) { captures[key]?.stage = .chosen }

    /// Handles a fact about a capture.
    /// - Returns: The steps to report.
    func handle(_ key: CaptureKey, _ fact: CaptureLifeCycle.Fact) -> [LifeCycleStep] {
        captures[key]?.lifeCycle.handle(fact) ?? []
    }

    /// Notes the end of a movie that has not begun. The first instant counts.
    func stopRecording(_ key: CaptureKey, at instant: RigTime) {
        if captures[key]?.stop == nil { captures[key]?.stop = instant }
    }

    /// Notes that the stream was interrupted.
    func note(_ interruption: Interruption) {
        for key in captures.keys { captures[key]?.note(interruption) }
    }

    /// Notes that the frames are gone.
    func loseFrames() {
        for key in captures.keys { captures[key]?.hasLostFrames = true }
    }

    // MARK: Format switches

    /// Notes the state of a capture's format switch.
    func note(_ state: PhotoFormatSwitch.State, ofFormatSwitch key: CaptureKey) {
        captures[key]?.formatSwitch?.state = state
    }

    /// Notes how long the stream was away for a capture.
    func note(_ gap: StreamGap, of key: CaptureKey) { captures[key]?.formatSwitch?.gap = gap }

    /// Ends the format switches that have no outcome, because nobody carries them out.
    func endFormatSwitches(with problem: RigProblem) {
        for key in captures.keys {
            guard let formatSwitch = captures[key]?.formatSwitch else { continue }
            captures[key]?.formatSwitch?.state = .over(formatSwitch.outcome ?? .failure(problem))
            formatSwitch.news.ring()
        }
    }

    // MARK: Ending

    /// Removes a capture. A task that waits for its frames finds it gone.
    func remove(_ key: CaptureKey) -> PendingCapture? {
        let capture = handOver(key)
        capture?.alarm?.ring()
        capture?.formatSwitch?.news.ring()
        return capture
    }

    /// Removes a capture that another output continues.
    func handOver(_ key: CaptureKey) -> PendingCapture? { captures.removeValue(forKey: key) }

    /// Keeps the reason why a capture was given up, for the call that fires it, which waits for its frame or is still
    /// to follow.
    func noteLost(_ key: CaptureKey, _ problem: RigProblem) {
        if lost.count >= Self.limit { lost = [:] }
        lost[key] = problem
    }

    /// Returns why a capture was given up; nil if it was not, or that is forgotten.
    func problem(of key: CaptureKey) -> RigProblem? { lost[key] }

    // MARK: Waiting for frames

    /// Returns an alarm that rings at every good frame, for a capture in progress. Each wait has a separate alarm,
    /// because an alarm whose waiter was cancelled cannot be awaited again.
    func beginWait(for key: CaptureKey) -> Alarm {
        let alarm = Alarm(clock: clock)
        captures[key]?.alarm = alarm
        return alarm
    }

    /// Notes a good frame, or that a capture has changed.
    func ring() {
        for capture in captures.values { capture.alarm?.ring() }
    }

    /// Notes a step of a format switch.
    func ringFormatSwitches() {
        for capture in captures.values where capture.formatSwitch != nil { capture.alarm?.ring() }
    }

    /// Returns an alarm that rings when there is a frame, or there will be none, for a capture that is to be armed.
    func beginWaitToArm(_ key: CaptureKey) -> Alarm {
        let alarm = Alarm(clock: clock)
        frameAlarms[key] = alarm
        return alarm
    }

    func endWaitToArm(_ key: CaptureKey) { frameAlarms[key] = nil }

    /// Whether a task waits for a frame to arm a capture.
    var isWaitingToArm: Bool { !frameAlarms.isEmpty }

    /// Wakes the tasks that wait for a frame to arm a capture.
    func ringWaitsToArm() {
        for alarm in frameAlarms.values { alarm.ring() }
    }
}

/// A capture that is being armed. Its key, the camera if it needs that alone, and the frames of its window are reserved
/// for it, so that none of this needs another check when the disk and the camera have answered.
private struct CaptureClaim {
    let order: CaptureOrder
    /// Whether the capture has the camera for itself.
    var hasCamera: Bool
    /// Other orders for the same capture, which are answered together with this one.
    var waiters: [CheckedContinuation<Void, Never>] = []
}
