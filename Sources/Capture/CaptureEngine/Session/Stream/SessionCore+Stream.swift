import CameraKit
import CaptureModel
import FaultPoints
import PosixSupport

/// Opening the camera, processing its frames, closing it.
extension SessionCore {
    // MARK: Opening

    /// Opens the camera in the session's format, or in that of a still during a format switch.
    /// - Returns: nil if that has failed, which the machine knows then.
    func open() async -> (any CameraStream)? {
        let device = setup.input.device
        do throws(CameraError) {
            let purpose: OpenStream.Purpose = machine.formatSwitch == .away ? .photo : .session
            let format = purpose == .photo ? photoRequest : try await sessionFormat()
            let askedAt = clock.now()
            let started = try await device.camera.start(format, clock: clock)
            stream = OpenStream(stream: started, purpose: purpose, askedAt: askedAt)
            knowledge.hardware = started.hardware
            knowledge.bus = started.hardware.busInformation.flatMap { USBPort(busInformation: $0) }
                .map(SessionCost.USBBus.init)
            measuredInterval = FrameInterval(nominal: started.format.frameInterval)
            rateWatch = RateWatch(stated: started.format.frameInterval)
            await handle(.opened)
            if machine.hardware == .open { for output in outputs { await output.streamOpened() } }
            // A camera without frames runs when it is open.
            if !started.hasFrames { await handle(.firstFrame) }
            return started
        } catch {
            noteCancellation()
            await handle(.openFailed(await explained(error, device)))
            return nil
        }
    }

    private func sessionFormat() async throws(CameraError) -> FormatRequest {
        let setup = setup
        guard let format = setup.format else {
            let format = try await setup.input.resolvedFormat(setup.configuration.preset)
            sharedSetup.withLock { $0.format = $0.format ?? format }
            await learnOffers()
            return format
        }
        await learnOffers()
        return format
    }

    /// Explains a failure. A refusal by the system may be one that no group or rule can change.
    private func explained(_ error: CameraError, _ device: CaptureDevice) async -> SessionFailure {
        guard error.code == .denied, await device.authorization() == .restricted else { return SessionFailure(error) }
        return SessionFailure(.refused(.restricted), error.description)
    }

    // MARK: Frames

    /// Processes frames until the stream ends or the task is cancelled.
    func consume(_ stream: any CameraStream) async {
        do {
            var intake = try FrameIntake(
                format: stream.format, range: stream.sampleRange, quality: policy.quality, clock: clock)
            for await frame in stream.frames {
                await process(frame, through: &intake)
            }
        } catch {
            await handle(.trouble(SessionFailure(.runtime, error.message)))
        }
    }

    private func process(_ frame: CameraFrame, through intake: inout FrameIntake) async {
        do throws(FrameIntake.Rejection) {
            let accepted = try intake.accept(frame)
            let kept = doubted(accepted.frame, in: intake.format)
            stream?.format = intake.format
            counters.trimmed += accepted.isTrimmed ? 1 : 0
            counters.damaged += kept.damage == nil ? 0 : 1
            measuredInterval.note(sequence: kept.sequence, midExposure: kept.midExposure)
            let hasChangedRate = rateWatch.note(sequence: kept.sequence, midExposure: kept.midExposure)
            await keep(kept)
            if hasChangedRate { await tell(changes()) }
        } catch {
            stream?.rejected.note(error)
            switch error {
            case .flaggedErroneous: counters.flaggedErroneous += 1
            case .torn, .otherSize: counters.torn += 1
            }
        }
        await updateOutputs()
    }

    private func keep(_ frame: RingFrame) async {
        noteArrival(of: frame)
        guard ring.append(frame) else {
            counters.droppedByNode += 1
            return
        }
        counters.delivered += 1
        guard let stream else { return }
        for output in outputs { output.receive(frame, from: stream) }
        guard stream.purpose == .session, !isRunning else { return }
        let news = outputs.flatMap { $0.streamIsBack(with: frame) }
        await handle(.firstFrame)
        await tell(news)
    }

    /// Notes that a good frame arrived, even if the ring has no room for it, which is not the camera's fault.
    private func noteArrival(of frame: RingFrame) {
        guard ring.newest.map({ $0.midExposure < frame.midExposure }) ?? true, let stream else { return }
        if stream.lastGoodFrame == nil { knowledge.reopening.noteOpening(clock.now() - stream.askedAt) }
        self.stream?.lastGoodFrame = clock.now()
        self.stream?.rejected = RejectedFrames()
    }

    // MARK: Watching

    /// How late the watchdog may wake and still act.
    private static let watchLateness = Duration.milliseconds(100)

    /// Restarts a stream that delivers nothing. Returns then, or when the task is cancelled.
    func watch() async {
        guard hasFrames else { return await watchWithoutFrames() }
        let start = clock.now()
        var since = start
        while !Task.isCancelled {
            let limit = max(stream?.lastGoodFrame ?? start, since) + framePatience
            // The first good frame, and a faster one, shorten the limit.
            let wake = min(limit, clock.now() + policy.stallTimeout)
            await SessionFault.stall.reached()
            do { try await clock.sleep(until: wake) } catch { return }
            if clock.now() - start >= policy.goodPeriod { await handle(.goodPeriod) }
            let newest = stream?.lastGoodFrame ?? start
            guard max(newest, since) + framePatience <= clock.now() else { continue }
            // A watchdog that wakes this late was itself not running. Once per silence, the camera gets the time again
            // to deliver a frame.
            if clock.now() - wake > Self.watchLateness, since <= newest {
                since = clock.now()
                continue
            }
            counters.stalls += 1
            let reason = stream?.complaint(at: clock.now()) ?? "the stream has ended"
            return await handle(.trouble(SessionFailure(.stall, reason)))
        }
    }

    /// A camera without frames says itself when it fails. Returns when the task is cancelled.
    private func watchWithoutFrames() async {
        while true {
            do { try await clock.sleep(for: policy.goodPeriod) } catch { return }
            await handle(.goodPeriod)
        }
    }

    /// How long the stream may be without a good frame before it is restarted. A camera that is slow on purpose, for a time lapse or with
    /// a long exposure, gets the time of several of its frames.
    private var framePatience: Duration {
        guard let stream else { return policy.stallTimeout }
        let longest = max(stream.format.frameInterval, measuredInterval.value, ring.newest?.exposure ?? .zero)
        let usual = stream.lastGoodFrame == nil ? policy.firstFrameTimeout : policy.stallTimeout
        return max(usual, longest * Self.silentFrames)
    }

    /// Frames in a row that may be missing from a slow stream.
    private static let silentFrames = 4

    /// Returns when the machine closes the stream, or the task is cancelled.
    func awaitClosing() async {
        while machine.hardware == .open, !Task.isCancelled { await closing.wait(until: nil) }
    }

    // MARK: Closing

    /// Reports why the stream ended, closes it, and reports that the hardware is free.
    func close() async {
        guard let ended = stream else { return }
        if noteCancellation() {
            await handle(.stop)
        } else if machine.hardware == .open {
            let failure = ended.stream.failure
            await handle(.trouble(failure.map(SessionFailure.init) ?? SessionFailure(.runtime, "the stream has ended")))
        }
        let why = ended.stream.failure?.description ?? stateDescription
        let began = clock.now()
        for output in outputs { await output.streamWillClose() }
        await ended.stream.stop()
        knowledge.reopening.noteClosing(clock.now() - began)
        counters.add(ended.stream.losses)
        stream = nil
        for output in outputs { output.streamClosed(ended) }
        // The frames of the two formats must not be mixed.
        if ended.purpose == .photo || machine.formatSwitch == .leaving { ring.removeAll() }
        let interruption = Interruption(
            reason: why, isOfStream: true, began: ring.newest?.midExposure ?? clock.now())
        for output in outputs { output.interrupted(by: interruption) }
        await handle(.closed)
    }
}
