public import CaptureModel
import FaultPoints
import ShotLogic
import Spool

extension CaptureSession {
    /// Chooses the frame of T of an armed capture and makes its files durable.
    ///
    /// Returns when the capture has its outcome, at the latest two periods after T and the time the disk takes. What
    /// makes a choice final is told at `FrameChooser`. A clip is owed then, and comes by ``SessionEvent/captureGrew(_:)``.
    @discardableResult
    public func fire(_ key: CaptureKey) async -> CaptureResult {
        guard let capture = pending[key], !capture.isFired else {
            let expired = CaptureProblem(.expired, "\(device.id): no frames are pinned for this shot")
            return .missed(key, lostCaptures[key] ?? expired)
        }
        pending[key]?.isFired = true
        if capture.order.settings.movie != nil { return await startRecording(capture) }
        await note(key, .fired)
        let problem: CaptureProblem
        do {
            let report = try await make(capture)
            if let clip = capture.clip, report.owed.contains(.pairedVideo) {
                await beginClip(capture, clip, report)
            } else {
                await close(key, with: nil)
            }
            return .captured(report)
        } catch {
            problem = await withGap(error, key)
        }
        await close(key, with: problem)
        return .missed(key, problem)
    }

    /// A missing still is told with what it has cost the stream.
    private func withGap(_ problem: CaptureProblem, _ key: CaptureKey) async -> CaptureProblem {
        guard let gap = await gap(of: key) else { return problem }
        let cost = gap.nanoseconds.map { "was away for \(Duration.nanoseconds($0))" } ?? "has not come back yet"
        return CaptureProblem(problem.code, "\(problem.message); its stream \(cost)")
    }

    private func make(_ capture: PendingCapture) async throws(CaptureProblem) -> CaptureReport {
        let exposed = try await expose(capture).map { (frame) throws(CaptureProblem) in
            (frame: frame, timing: try timing(of: frame, order: capture.order))
        }
        guard let first = exposed.first else {
            throw CaptureProblem(.noFrameNearTime, "\(device.id): the capture has no picture")
        }
        pending[capture.order.key]?.isChosen = true
        await note(capture.order.key, .frameChosen(first.timing))
        await SessionFault.chosen.reached()
        var (pictures, raw): ([(frame: PictureFrame, timing: FrameTiming)], [Spool.NewFile]) = ([], [])
        for (frame, timing) in exposed {
            let (picture, rawFile) = try await picture(of: frame, capture, timing)
            pictures.append((picture, timing))
            if let rawFile { raw.append(rawFile) }
        }
        let small = try await preview(of: pictures[0].frame, capture, first.timing)
        let composer = StillComposer(device: device, hardware: hardware)
        var files: [Spool.NewFile] = []
        for (kind, picture) in zip(AssetKind.stills, capture.order.settings.raw == .only ? [] : pictures) {
            let still = try composer.compose(
                picture.frame, as: kind, order: capture.order, resolved: capture.resolved, timing: picture.timing)
            files.append((kind, [still]))
        }
        let report = try await spool.store(
            capture.order.key, resolved: capture.resolved, timing: first.timing, files: files + raw + small,
            owed: owed(by: capture),
            streamGap: await gap(of: capture.order.key),
            reservation: capture.reservation)
        for file in report.files { await note(capture.order.key, .fileStored(file)) }
        if capture.resolved.codec == .heic { deferred?.take(capture.order.key) }
        return report
    }

    /// Files of a capture that are made after it was stored.
    private func owed(by capture: PendingCapture) -> [AssetKind] {
        (capture.resolved.codec == .heic ? [.photoHEIC] : [])
            + (capture.clip == nil ? [] : capture.resolved.livePhoto?.kinds ?? [])
    }

    /// Makes the preview and tells it, where one was asked for.
    private func preview(
        of frame: PictureFrame, _ capture: PendingCapture, _ timing: FrameTiming
    ) async throws(CaptureProblem) -> [Spool.NewFile] {
        let (order, resolved) = (capture.order, capture.resolved)
        guard let limit = order.settings.previewSize, let size = resolved.preview else { return [] }
        let composer = StillComposer(device: device, hardware: hardware)
        let jpeg = try composer.preview(frame, limit: limit, order: order, resolved: resolved, timing: timing)
        let latency = try rigTime(at: clock.now()).time - order.time
        await note(
            order.key, .previewMade(PreviewPhoto(jpeg: jpeg, size: size, latencyNanoseconds: latency.nanoseconds)))
        return [(.preview, [jpeg])]
    }

    /// Waits for the frame of T, looking again at every good frame and once when no further frame can change the choice.
    /// - Parameter isMeant: Which frames count at all.
    func choose(
        _ order: CaptureOrder, accepting isMeant: (RingFrame) -> Bool = { _ in true }
    ) async throws(CaptureProblem) -> RingFrame {
        let alarm = Alarm(clock: clock)
        pending[order.key]?.alarm = alarm
        let chooser = FrameChooser(
            time: order.time, period: interval.value, delivery: ring.longestDelivery * 5 / 4 + .milliseconds(1))
        while !Task.isCancelled {
            await SessionFault.frame.reached()
            try checkUnderWay(order)
            switch try decide(chooser, order, isMeant) {
            case .frame(let frame): return frame
            // The estimate of rig time moves by microseconds, so the instant is looked up again each time.
            case .wait(let instant):
                await alarm.wait(until: rigClock.localTime(at: instant).map { $0 + .microseconds(1) })
            }
        }
        throw shuttingDown
    }

    /// The problem of captures that the end of the session overtakes.
    var shuttingDown: CaptureProblem { CaptureProblem(.cancelled, "\(device.id): the node is shutting down") }

    private enum Choice {
        case frame(RingFrame)
        case wait(until: RigTime)
    }

    private func decide(
        _ chooser: FrameChooser, _ order: CaptureOrder, _ isMeant: (RingFrame) -> Bool
    ) throws(CaptureProblem) -> Choice {
        try checkFrames(of: order)
        if let clockID = rigClock.clockID, clockID != order.rigClock {
            throw CaptureProblem(
                .unsynchronized, "\(device.id): the rig time line of T has ended with its coordinator's machine")
        }
        let now = try rigTime(at: clock.now())
        let center = rigClock.localTime(at: order.time) ?? clock.now()
        let frames = ring.frames(in: center - chooser.period * 2...center + chooser.period * 2).filter(isMeant)
        let midExposures = try frames.map { (frame) throws(CaptureProblem) in try rigTime(at: frame.midExposure).time }
        switch chooser.decide(midExposures: midExposures, now: now.time) {
        case .wait(let instant): return .wait(until: instant)
        case .choose(let index): return .frame(frames[index])
        case .missed(let problem): throw explained(problem, order)
        }
    }

    /// A missing frame is told by its cause where the stream broke off in between.
    private func explained(_ problem: CaptureProblem, _ order: CaptureOrder) -> CaptureProblem {
        guard pending[order.key]?.interruption == nil else { return brokenOff(order) }
        return CaptureProblem(problem.code, "\(device.id): \(problem.message)")
    }

    func timing(of frame: RingFrame, order: CaptureOrder) throws(CaptureProblem) -> FrameTiming {
        try checkFrames(of: order)
        let mid = try rigTime(at: frame.midExposure)
        let dequeued = try rigTime(at: frame.dequeued)
        return FrameTiming(
            sequence: frame.sequence, localMidExposure: frame.midExposure,
            midExposure: BoundedRigTime(time: mid.time, bound: mid.bound + frame.stampBound),
            skewNanoseconds: (mid.time - order.time).nanoseconds, exposureNanoseconds: frame.exposure?.nanoseconds,
            dequeued: dequeued.time)
    }

    private func rigTime(at local: LocalTime) throws(CaptureProblem) -> BoundedRigTime {
        guard let rig = rigClock.rigTime(at: local) else {
            throw CaptureProblem(.unsynchronized, "\(device.id): the node has lost its clock estimate")
        }
        return rig
    }
}
