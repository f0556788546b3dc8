import CameraKit
import CaptureModel
import Movies
import Spool

/// Clips of captures whose photo is stored: recorded until 1.5 s after T, made off the session's thread, added to their
/// capture. The table is in `docs/design/photo.md`.
extension CaptureSession {
    /// Hands a capture, whose photo has just been stored, over to the making of its clip.
    func beginClip(_ capture: PendingCapture, _ plan: ClipPlan, _ report: CaptureReport) async {
        let key = capture.order.key
        guard let lifeCycle = pending[key]?.lifeCycle else { return }
        clips[key] = ClipInProgress(
            order: capture.order, resolved: capture.resolved, plan: plan,
            stillMidExposure: report.timing.localMidExposure, alarm: Alarm(clock: clock), lifeCycle: lifeCycle,
            teller: capture.teller, interruption: pending[key]?.interruption.flatMap { lack(in: plan.window, by: $0) })
        // The frames around T that only the choice needed may go.
        ring.pin(key, window: plan.window)
        _ = await remove(key)
        if isServing { clipOrder.yield(key) } else { await giveUpClip(key, shuttingDown) }
    }

    /// Makes the clips of captures, each when its last frame has come, until the task is cancelled.
    func serveClips() async {
        await withDiscardingTaskGroup { group in
            for await key in clipOrders { group.addTask { await self.makeClip(key) } }
            group.cancelAll()
        }
    }

    /// Ends what is being recorded, when no frames come any more.
    func giveUpClips() async {
        for key in clips.keys.sorted() { await giveUpClip(key, shuttingDown) }
    }

    /// Tells clips that their frames have come to an end before their time.
    func interruptClips(because reason: String) {
        for (key, clip) in clips where !clip.isRecorded && !isOver(clip) {
            clips[key]?.interruption = reason
            clip.alarm.ring()
        }
    }

    /// Whether the last frame of a clip has come.
    private func isOver(_ clip: ClipInProgress) -> Bool {
        ring.newest.map { $0.midExposure >= clip.plan.window.upperBound } ?? false
    }

    /// Why a clip lacks frames, where an interruption before its still was stored is the cause. One that was over when the clip
    /// began, or soon after, is none.
    private func lack(in window: ClosedRange<LocalTime>, by interruption: Interruption) -> String? {
        guard interruption.began < window.upperBound else { return nil }
        let next = ring.frames(in: interruption.began + .nanoseconds(1)...window.upperBound).first?.midExposure
        let ended = interruption.ended ?? next ?? window.upperBound
        let isWithin = interruption.began >= window.lowerBound || ended - window.lowerBound > Self.longestLack
        return isWithin ? interruption.reason : nil
    }

    /// Wakes the clips whose last frame may be this one.
    func wakeClips(at frame: RingFrame) {
        for clip in clips.values where clip.plan.window.upperBound <= frame.midExposure { clip.alarm.ring() }
    }

    private func makeClip(_ key: CaptureKey) async {
        do throws(CaptureProblem) {
            var clip = try await recordClip(key)
            clips[key]?.isRecorded = true
            await note(key, .movieRecorded)
            if clips[key]?.resolved.livePhoto?.hasSound == true, let clipSound {
                clip.take(await clipSound.clipSound(in: clip.timing.window))
                try checkSound(of: clip)
            }
            try await store(clip, key)
        } catch {
            await giveUpClip(key, error)
        }
    }

    /// A microphone may fall silent after it was promised.
    private func checkSound(of clip: Clip) throws(CaptureProblem) {
        guard clip.movie.sound == nil, policy.isClipSoundRequired else { return }
        throw CaptureProblem(
            .deviceLost, "\(device.id): its microphone gave no sound for its clip, which must have some")
    }

    /// Waits for the last frame of a clip.
    private func recordClip(_ key: CaptureKey) async throws(CaptureProblem) -> Clip {
        while !Task.isCancelled {
            guard let capture = clips[key] else { throw shuttingDown }
            let end = capture.plan.window.upperBound
            let deadline = end + interval.value + ring.longestDelivery * 5 / 4 + .milliseconds(1)
            if let interruption = capture.interruption {
                throw CaptureProblem(
                    .deviceLost, "\(device.id) broke off while its clip was recorded: \(interruption)")
            }
            if isOver(capture) || clock.now() >= deadline { return try clip(of: capture) }
            await capture.alarm.wait(until: clock.now() < end ? end : deadline)
        }
        throw shuttingDown
    }

    /// A clip whose frames begin so long after it does, or end so long before, is not told from one that broke off.
    private static let longestLack = Duration.milliseconds(500)

    private func clip(of capture: ClipInProgress) throws(CaptureProblem) -> Clip {
        let frames = ring.frames(in: capture.plan.window).compactMap(\.picture)
        if let last = frames.last, capture.plan.window.upperBound - last.midExposure > Self.longestLack {
            throw CaptureProblem(
                .deviceLost,
                "\(device.id): no frames came for the last \(capture.plan.window.upperBound - last.midExposure) of its clip"
            )
        }
        guard let first = frames.first, let start = rigClock.rigTime(at: first.midExposure) else {
            throw CaptureProblem(.unsynchronized, "\(device.id): the node has lost its clock estimate")
        }
        let device = device
        return try Clip(
            of: capture, frames: frames, interval: interval.value,
            start: BoundedRigTime(time: start.time, bound: start.bound + first.stampBound), device: device,
            hardware: (device.make ?? hardware.make, device.model ?? hardware.model))
    }

    private func store(_ clip: Clip, _ key: CaptureKey) async throws(CaptureProblem) {
        guard let clipMaker, let capture = clips[key] else { throw shuttingDown }
        guard let deferred, capture.resolved.livePhoto?.isProcessedLater == true else {
            return try await offer(clipMaker.make(clip, of: key, in: spool), clip.timing, key)
        }
        let kinds = capture.resolved.livePhoto?.kinds ?? []
        let codec = capture.resolved.livePhoto?.codec ?? .mjpeg
        try await clipMaker.record(clip, of: key, in: spool)
        try await spool.keep(DeferredWork(key: key, kinds: kinds, clipCodec: codec, clip: clip.timing))
        // A clip that is encoded comes after the capture's end; one that is not must not be made there as well.
        if codec == .mjpeg {
            try await offer(spool.useRecordedClip(of: key), clip.timing, key)
        } else {
            await endClip(key, nil)
        }
        deferred.take(key)
    }

    private func offer(_ file: SpooledFile, _ timing: ClipTiming, _ key: CaptureKey) async throws(CaptureProblem) {
        guard let report = try await spool.add(file, to: key, clip: timing) else {
            throw CaptureProblem(.discarded, "\(device.id): its capture was removed from the spool meanwhile")
        }
        await tell([.captureGrew(report)])
        let path = spool.path(of: FileKey(capture: key, kind: .pairedVideo))
        await note(key, .movieStored(LivePhotoMovieFile(file, path: path, timing: timing)))
        await endClip(key, nil)
    }

    /// Records durably that there will be no clip, and tells it.
    private func giveUpClip(_ key: CaptureKey, _ problem: CaptureProblem) async {
        guard clips[key] != nil else { return }
        for kind in clips[key]?.resolved.livePhoto?.kinds ?? [] {
            if let report = await spool.giveUp(kind, of: key, problem) { await tell([.captureGrew(report)]) }
        }
        await endClip(key, problem)
    }

    private func endClip(_ key: CaptureKey, _ problem: CaptureProblem?) async {
        guard var capture = clips.removeValue(forKey: key) else { return }
        ring.unpin(key)
        if let reservation = capture.plan.reservation { await spool.cancel(reservation) }
        for step in capture.lifeCycle.handle(.ended(problem)) { await tell(key, capture.teller, step) }
        await releaseLingering()
    }
}
