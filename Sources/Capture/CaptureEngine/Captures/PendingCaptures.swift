import CameraKit
import CaptureModel
import Spool

/// The captures of a session from the order to arm them until their files are made, or another output continues them:
/// photos completely, Live Photos until the photo is stored, movies until their first frame.
///
/// Owns the list of captures, the pins of their windows, their reservations, and the right to the camera. Extensions
/// arm (`+Arming`, `+Resolving`), wait for frames (`+Choosing`) and make files (`+Firing`). Those of the photo output
/// set the camera (`+Exposing`), switch its format (`+FormatSwitch`) or develop its samples (`+Raw`).
final class PendingCaptures: CaptureOutput {
    /// Limit on the captures that one camera has in progress.
    static let limit = 64

    unowned let session: any SessionAccess
    let controls: CameraControls
    let livePhotos: LivePhotoOutput
    let movies: MovieRecordings
    let developer: RawDeveloper

    /// Captures that are being armed.
    var claims: [CaptureKey: CaptureClaim] = [:]
    var pending: [CaptureKey: PendingCapture] = [:]
    /// Captures that were given up, with the reason; at most as many as may be in progress.
    var lost: [CaptureKey: RigProblem] = [:]
    /// Alarms of the tasks that arm the camera and wait for a frame, by capture. If two tasks arm it for the same
    /// capture, the later one has the alarm. The other checks again when its time is over.
    var frameAlarms: [CaptureKey: Alarm] = [:]
    /// The state of the last format switch, until the stream is back. It outlasts the capture, which may be given up.
    var switchRecord: FormatSwitchRecord?
    /// Wakes ``serveFormatSwitches()``.
    let switchAlarm: Alarm

    init(
        _ session: any SessionAccess, controls: CameraControls, livePhotos: LivePhotoOutput, movies: MovieRecordings
    ) {
        self.session = session
        self.controls = controls
        self.livePhotos = livePhotos
        self.movies = movies
        developer = session.services.developer ?? RawDeveloper(executor: session.services.executor)
        switchAlarm = Alarm(clock: session.clock)
    }

    var device: DeviceDescription { session.device }

    // MARK: Calls of the session

    var capturesUnderWay: [CaptureKey] { Array(pending.keys) }
    var needsStream: Bool { !pending.isEmpty }

    /// After the instant at which a capture expires, not at it.
    var nextInstant: LocalTime? {
        pending.values.filter { !$0.isFired }.compactMap { session.rigClock.localTime(at: $0.order.pinnedUntil) }
            .min().map { $0 + .milliseconds(1) }
    }

    func streamOpened() async {
        if pending.isEmpty { await controls.restore() }
    }

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        ringFrameAlarms()
        if stream.purpose == .photo { wakeFormatSwitch() }
    }

    func update() async {
        if pending.isEmpty { await controls.putBackLeft() }
        await expire()
        for capture in pending.values { capture.alarm?.ring() }
    }

    /// Puts back the controls, because a camera keeps them when it is closed.
    func streamWillClose() async { await controls.putBack() }

    func streamClosed(_ stream: OpenStream) {
        controls.streamClosed()
        noteGap(after: stream)
    }

    func interrupted(by interruption: Interruption) {
        // In a format switch, its own capture, which is the only one, already knows.
        guard !interruption.isOfStream || session.machine.formatSwitch == nil else { return ringFrameAlarms() }
        for key in pending.keys { pending[key]?.note(interruption) }
        ringFrameAlarms()
    }

    func framesLost(because reason: String) async {
        for key in pending.keys { pending[key]?.hasLostFrames = true }
        // The call that fires the capture ends it.
        for key in pending.keys.sorted() {
            guard let capture = pending[key] else { continue }
            if capture.isFired {
                capture.alarm?.ring()
            } else {
                let problem = brokenOff(capture.order)
                noteLost(key, problem)
                await close(key, with: problem)
            }
        }
    }

    func deviceExchanged() { controls.forget() }

    func sessionEnded() async {
        giveUpFormatSwitches()
        for key in pending.keys.sorted() { await cancel(key) }
    }

    // MARK: Ending captures

    /// Releases the frames of a capture. Does nothing if none is armed, or after it is fired.
    func cancel(_ key: CaptureKey) async {
        guard let capture = pending[key], !capture.isFired else { return }
        await close(key, with: RigProblem(.cancelled, "\(device.id): the shot was cancelled"))
    }

    /// Gives up the captures whose files are not being made yet, so that none of them gets a file.
    /// - Returns: Their keys, in order.
    func giveUpUnmade(with problem: RigProblem) async -> [CaptureKey] {
        var given: [CaptureKey] = []
        for key in pending.keys.sorted() where pending[key]?.isChosen == false {
            given.append(key)
            noteLost(key, problem)
            await close(key, with: problem)
        }
        return given
    }

    /// Releases the frames of shots that were never fired.
    private func expire() async {
        for key in pending.keys {
            guard let capture = pending[key], !capture.isFired, hasExpired(capture.order) else { continue }
            await close(key, with: RigProblem(.expired, "\(device.id): the shot was armed and never fired"))
        }
    }

    /// Returns whether an order has expired. If the rig time line differs from the order's, which ended with the
    /// coordinator's machine, the order's instant will never be reached.
    private func hasExpired(_ order: CaptureOrder) -> Bool {
        guard let clockID = session.rigClock.clockID, let until = session.rigClock.localTime(at: order.pinnedUntil)
        else { return false }
        return clockID != order.rigClock || until < session.clock.now()
    }

    func close(_ key: CaptureKey, with problem: RigProblem?) async {
        session.unpin(key)
        guard var capture = await remove(key) else { return }
        if let reservation = capture.clip?.reservation { await session.spool.cancel(reservation) }
        await session.tell(key, capture.sender, capture.lifeCycle.handle(.ended(problem)))
        await session.captureEnded()
    }

    /// Removes a capture from those that need frames for a photo.
    func remove(_ key: CaptureKey) async -> PendingCapture? {
        guard let capture = pending.removeValue(forKey: key) else { return nil }
        // A task that waits for its frames finds it gone.
        capture.alarm?.ring()
        capture.formatSwitch?.news.ring()
        switchAlarm.ring()
        await session.spool.cancel(capture.reservation)
        if capture.plan != nil, controls.areAsFound { await session.spool.forgetControls(of: capture.order.key.device) }
        return capture
    }

    /// Handles a fact about a capture and reports the resulting step.
    func note(_ key: CaptureKey, _ fact: CaptureLifeCycle.Fact) async {
        guard let steps = pending[key]?.lifeCycle.handle(fact) else { return }
        await session.tell(key, pending[key]?.sender, steps)
    }

    /// Keeps the reason why a capture was given up, for the call that fires it, which waits for its frame or is still
    /// to follow.
    func noteLost(_ key: CaptureKey, _ problem: RigProblem) {
        if lost.count >= Self.limit { lost = [:] }
        lost[key] = problem
    }

    func brokenOff(_ order: CaptureOrder) -> RigProblem {
        let why = pending[order.key]?.interruption?.reason ?? session.stateDescription
        return RigProblem(.deviceLost, "\(device.id) failed after it was armed: \(why)")
    }

    /// Wakes the tasks that wait for a frame: there is one, or there will be none.
    private func ringFrameAlarms() {
        for alarm in frameAlarms.values { alarm.ring() }
    }
}
