import CaptureModel
import Spool

/// The captures of a session from the order to arm them until their files are made, or another output continues them:
/// photos completely, Live Photos until the photo is stored, movies until their first frame.
///
/// Owns the pins of their windows and their reservations; ``CaptureList`` has the captures, and who has the camera. Extensions
/// arm (`+Arming`, `+Resolving`), wait for frames (`+Choosing`) and make files (`+Firing`). Those of the photo output
/// set the camera (`+Exposing`), switch its format (`+FormatSwitch`) or develop its samples (`+Raw`), or ask a camera without frames for its picture (`+Taking`).
final class PendingCaptures: CaptureOutput {
    /// Limit on the captures that one camera has in progress.
    static let limit = CaptureList.limit

    unowned let session: any SessionAccess
    let controls: CameraControls
    let livePhotos: LivePhotoOutput
    let movies: MovieRecordings
    let developer: RawDeveloper

    let list: CaptureList
    let switchRecord: FormatSwitchRecord
    /// Of a camera without frames.
    let takenPictures = TakenPictures()

    init(
        _ session: any SessionAccess, controls: CameraControls, livePhotos: LivePhotoOutput, movies: MovieRecordings
    ) {
        self.session = session
        self.controls = controls
        self.livePhotos = livePhotos
        self.movies = movies
        developer = session.services.developer ?? RawDeveloper(executor: session.services.executor)
        list = CaptureList(clock: session.clock)
        switchRecord = FormatSwitchRecord(clock: session.clock)
    }

    var device: DeviceDescription { session.device }

    // MARK: Calls of the session

    var capturesUnderWay: [CaptureKey] { list.keys }
    var needsStream: Bool { !list.isEmpty }

    /// After the instant at which a capture expires, not at it.
    var nextInstant: LocalTime? {
        list.unfiredOrders.compactMap { session.rigClock.localTime(at: $0.pinnedUntil) }.min().map {
            $0 + .milliseconds(1)
        }
    }

    func streamOpened() async {
        if list.isEmpty { await controls.restore() }
    }

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        list.ringWaitsToArm()
        if stream.purpose == .photo { wakeFormatSwitch() }
    }

    func update() async {
        if list.isEmpty { await controls.putBackLeft() }
        await expire()
        list.ring()
    }

    /// Puts back the controls, because a camera keeps them when it is closed.
    func streamWillClose() async { await controls.putBack() }

    func streamClosed(_ stream: OpenStream) {
        controls.streamClosed()
        takenPictures.removeAll()
        noteGap(after: stream)
    }

    func interrupted(by interruption: Interruption) {
        // In a format switch, its own capture, which is the only one, already knows.
        guard !interruption.isOfStream || session.machine.formatSwitch == nil else {
            return list.ringWaitsToArm()
        }
        list.note(interruption)
        list.ringWaitsToArm()
    }

    func framesLost(because reason: String) async {
        list.loseFrames()
        // The call that fires the capture ends it.
        for key in list.keys {
            guard let capture = list[key] else { continue }
            if capture.isFired {
                capture.alarm?.ring()
            } else {
                let problem = brokenOff(capture.order)
                list.noteLost(key, problem)
                await close(key, with: problem)
            }
        }
    }

    func deviceExchanged() { controls.forget() }

    func sessionEnded() async {
        giveUpFormatSwitches()
        for key in list.keys { await cancel(key) }
    }

    // MARK: Ending captures

    /// Releases the frames of a capture. Does nothing if none is armed, or after it is fired.
    func cancel(_ key: CaptureKey) async {
        guard list[key]?.isFired == false else { return }
        await close(key, with: RigProblem(.cancelled, "\(device.id): the shot was cancelled"))
    }

    /// Gives up the captures whose files are not being made yet, so that none of them gets a file.
    /// - Returns: Their keys, in order.
    func giveUpUnmade(with problem: RigProblem) async -> [CaptureKey] {
        var given: [CaptureKey] = []
        for key in list.keys where list[key]?.isChosen == false {
            given.append(key)
            list.noteLost(key, problem)
            await close(key, with: problem)
        }
        return given
    }

    /// Releases the frames of shots that were never fired.
    private func expire() async {
        for order in list.unfiredOrders where list[order.key]?.isFired == false && hasExpired(order) {
            await close(order.key, with: RigProblem(.expired, "\(device.id): the shot was armed and never fired"))
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
        guard let capture = list.remove(key) else { return nil }
        capture.picture?.giveUp()
        switchRecord.ring()
        await session.spool.cancel(capture.reservation)
        if capture.plan != nil, controls.areAsFound { await session.spool.forgetControls(of: capture.order.key.device) }
        return capture
    }

    /// Handles a fact about a capture and reports the resulting step.
    func note(_ key: CaptureKey, _ fact: CaptureLifeCycle.Fact) async {
        let steps = list.handle(key, fact)
        await session.tell(key, list[key]?.sender, steps)
    }

    func brokenOff(_ order: CaptureOrder) -> RigProblem {
        let why = list[order.key]?.interruption?.reason ?? session.stateDescription
        return RigProblem(.deviceLost, "\(device.id) failed after it was armed: \(why)")
    }
}
