import CameraKit
import CaptureModel
import Movies
import Recording
import Sound
import Spool

/// The clips of a session's Live Photos whose photo is stored. They are recorded until 1.5 s after T, made off the
/// session's thread, and added to their capture. The table is in `docs/design/photo.md`.
///
/// Owns the list of clips, and the pins of their windows. The waiting work is bounded by the captures in progress.
final class LivePhotoOutput: CaptureOutput {
    unowned let session: any SessionAccess
    private let controls: CameraControls
    /// Captures whose photo is stored and whose clip is not.
    private(set) var clips: [CaptureKey: ClipInProgress] = [:]

    init(_ session: any SessionAccess, controls: CameraControls) {
        self.session = session
        self.controls = controls
    }

    var device: DeviceDescription { session.device }
    private var services: SessionServices { session.services }

    // MARK: Calls of the session

    var capturesUnderWay: [CaptureKey] { Array(clips.keys) }
    var needsStream: Bool { clips.values.contains { !$0.isRecorded } }

    /// Wakes the clips whose last frame may be this one.
    func receive(_ frame: RingFrame, from stream: OpenStream) {
        for clip in clips.values where clip.plan.window.upperBound <= frame.midExposure {
            if case .recording(let alarm) = clip.stage { alarm.ring() }
        }
    }

    func interrupted(by interruption: Interruption) {
        if interruption.isOfStream { interruptClips(because: interruption.reason) }
    }

    func framesLost(because reason: String) async { interruptClips(because: reason) }

    /// Interrupts the clips whose frames ended early.
    private func interruptClips(because reason: String) {
        for (key, clip) in clips where !clip.isRecorded && !isOver(clip) {
            clips[key]?.stage = .interrupted(reason)
            if case .recording(let alarm) = clip.stage { alarm.ring() }
        }
    }

    /// Ends the recordings when no more frames arrive.
    func sessionEnded() async {
        for key in clips.keys.sorted() { await giveUp(key, session.shuttingDown) }
    }

    // MARK: Beginning

    /// Returns the order of a capture whose clip is being made, and the answer to it.
    func order(of key: CaptureKey) -> (CaptureOrder, ResolvedPhotoSettings)? {
        clips[key].map { ($0.order, $0.resolved) }
    }

    /// Continues a capture whose photo has just been stored.
    func finishClip(_ capture: PendingCapture, _ plan: ClipPlan, _ report: CaptureReport) {
        let reason = capture.interruption.flatMap { lack(in: plan.window, by: $0) }
        clips[capture.order.key] = ClipInProgress(
            order: capture.order, resolved: capture.resolved, plan: plan,
            stillMidExposure: report.timing.localMidExposure,
            stage: reason.map(ClipInProgress.Stage.interrupted) ?? .recording(Alarm(clock: session.clock)),
            lifeCycle: capture.lifeCycle, sender: capture.sender)
    }

    /// Starts making the clip, which waits for its last frame.
    func begin(_ key: CaptureKey) async {
        if session.isServing { session.start(key, for: self) } else { await giveUp(key, session.shuttingDown) }
    }

    /// Returns why a clip lacks frames, if an interruption before its still was stored is the cause. An interruption
    /// that ended before the clip began, or soon after, does not count.
    private func lack(in window: ClosedRange<LocalTime>, by interruption: Interruption) -> String? {
        guard interruption.began < window.upperBound else { return nil }
        let after = interruption.began + .nanoseconds(1)...window.upperBound
        let ended = interruption.ended ?? session.ring.frames(in: after).first?.midExposure ?? window.upperBound
        let isWithin = interruption.began >= window.lowerBound || ended - window.lowerBound > Self.longestLack
        return isWithin ? interruption.reason : nil
    }

    // MARK: Making

    func perform(_ key: CaptureKey, telling tell: @escaping @Sendable (SessionEvent) async -> Void) async {
        do throws(RigProblem) {
            var clip = try await record(key)
            clips[key]?.stage = .recorded
            await note(key, .movieRecorded)
            if clips[key]?.resolved.livePhoto?.hasSound == true, let source = services.clipSound {
                clip.add(await source.clipSound(in: clip.timing.window))
                try checkSound(of: clip)
            }
            try await store(clip, key)
        } catch {
            await giveUp(key, error)
        }
    }

    /// Checks that required sound exists. A microphone may fail after its sound was announced.
    private func checkSound(of clip: Clip) throws(RigProblem) {
        guard clip.movie.sound == nil, session.policy.isClipSoundRequired else { return }
        throw RigProblem(
            .deviceLost, "\(device.id): its microphone delivered no sound for its clip, which requires sound")
    }

    /// Returns whether the last frame of a clip has arrived.
    private func isOver(_ clip: ClipInProgress) -> Bool {
        session.ring.newest.map { $0.midExposure >= clip.plan.window.upperBound } ?? false
    }

    /// Waits for the last frame of a clip.
    private func record(_ key: CaptureKey) async throws(RigProblem) -> Clip {
        while !Task.isCancelled, let capture = clips[key] {
            let end = capture.plan.window.upperBound
            let deadline = end + session.interval + session.ring.longestDelivery * 5 / 4 + .milliseconds(1)
            switch capture.stage {
            case .interrupted(let reason):
                throw RigProblem(.deviceLost, "\(device.id) failed while its clip was recorded: \(reason)")
            case .recording(let alarm) where !isOver(capture) && session.clock.now() < deadline:
                await alarm.wait(until: session.clock.now() < end ? end : deadline)
            case .recording, .recorded:
                return try clip(of: capture)
            }
        }
        throw session.shuttingDown
    }

    /// The largest time without frames at the start or the end of a clip. With more, the clip counts as interrupted.
    private static let longestLack = Duration.milliseconds(500)

    private func clip(of capture: ClipInProgress) throws(RigProblem) -> Clip {
        let window = capture.plan.window
        let frames = session.ring.frames(in: window).compactMap(\.picture)
        if let last = frames.last, window.upperBound - last.midExposure > Self.longestLack {
            throw RigProblem(
                .deviceLost,
                "\(device.id): no frames arrived for the last \((window.upperBound - last.midExposure).text) of its clip"
            )
        }
        guard let first = frames.first, let start = session.rigClock.rigTime(at: first.midExposure) else {
            throw RigProblem(.unsynchronized, "\(device.id): the node has lost its clock estimate")
        }
        let (device, hardware) = (device, session.knowledge.hardware)
        let settings = frames.map { (controls.revisions.settings(at: $0.sequence), $0.midExposure) }
        return try Clip(
            of: capture, frames: frames, interval: session.interval,
            start: BoundedRigTime(time: start.time, bound: start.bound + controls.facts(of: first).bound),
            settings: ClipSettings.list(settings), device: device,
            hardware: (device.make ?? hardware.make, device.model ?? hardware.model))
    }

    private func store(_ clip: Clip, _ key: CaptureKey) async throws(RigProblem) {
        guard let clipMaker = services.clipMaker, let capture = clips[key] else { throw session.shuttingDown }
        let spool = session.spool
        guard let deferred = services.deferred, capture.resolved.livePhoto?.isProcessedLater == true else {
            return try await offer(clipMaker.make(clip, of: key, in: spool), clip.timing, key)
        }
        let kinds = capture.resolved.livePhoto?.kinds ?? []
        let codec = capture.resolved.livePhoto?.codec ?? .mjpeg
        try await clipMaker.record(clip, of: key, in: spool)
        let work = DeferredWork(key: key, kinds: kinds, clipCodec: codec, clip: clip.timing)
        try await spool.attempt { (spool) async throws(SpoolError) in try await spool.keep(work) }
        // An encoded clip is made after the capture's end. One that is not encoded must not be made there again.
        if codec == .mjpeg {
            let file = try spool.attempt { (spool) throws(SpoolError) in try spool.useRecordedClip(of: key) }
            try await offer(file, clip.timing, key)
        } else {
            await end(key, nil)
        }
        deferred.enqueue(key)
    }

    private func offer(_ file: SpooledFile, _ timing: ClipTiming, _ key: CaptureKey) async throws(RigProblem) {
        let grown = try await session.spool.attempt { (spool) async throws(SpoolError) in
            try await spool.add(file, to: key, clip: timing)
        }
        guard let report = grown else {
            throw RigProblem(.discarded, "\(device.id): its capture was removed from the spool")
        }
        await session.tell([.captureGrew(report)])
        let path = session.spool.path(of: FileKey(capture: key, kind: .pairedVideo))
        await note(key, .movieStored(LivePhotoMovieFile(file, path: path, timing: timing)))
        await end(key, nil)
    }

    // MARK: Ending

    /// Records durably and reports that there will be no clip.
    private func giveUp(_ key: CaptureKey, _ problem: RigProblem) async {
        guard clips[key] != nil else { return }
        for kind in clips[key]?.resolved.livePhoto?.kinds ?? [] {
            if let report = await session.spool.giveUp(kind, of: key, problem) {
                await session.tell([.captureGrew(report)])
            }
        }
        await end(key, problem)
    }

    private func end(_ key: CaptureKey, _ problem: RigProblem?) async {
        guard var capture = clips.removeValue(forKey: key) else { return }
        session.unpin(key)
        if let reservation = capture.plan.reservation { await session.spool.cancel(reservation) }
        await session.tell(key, capture.sender, capture.lifeCycle.handle(.ended(problem)))
        await session.captureEnded()
    }

    /// Handles a fact about a capture and reports the resulting step.
    private func note(_ key: CaptureKey, _ fact: CaptureLifeCycle.Fact) async {
        guard let steps = clips[key]?.lifeCycle.handle(fact) else { return }
        await session.tell(key, clips[key]?.sender, steps)
    }
}
