import CameraKit
import CaptureModel

/// Stills that are larger than the stream's frames. The camera leaves its stream for them before T, and returns.
///
/// One at a time, because such a capture has the camera for itself. The table is in `docs/design/photo.md`.
extension PendingCaptures {
    /// Carries out the format switches of the armed captures, each at its time, until the task is cancelled.
    func serveFormatSwitches() async {
        while !Task.isCancelled {
            guard let capture = list.awaitingFormatSwitch else {
                await switchRecord.waitForStep(until: nil)
                continue
            }
            // Without an estimate of rig time, its start is never reached. That is reported at once.
            if let start = start(of: capture), start > session.clock.now() {
                await switchRecord.waitForStep(until: start)
            } else {
                await carryOut(capture)
            }
        }
    }

    /// Returns the frames of a capture's format switch, or its failure, when they are known.
    func formatSwitchFrames(of key: CaptureKey) async throws(RigProblem) -> [ExposedFrame] {
        while !Task.isCancelled, let formatSwitch = list[key]?.formatSwitch {
            if let outcome = formatSwitch.outcome { return try outcome.get() }
            await formatSwitch.news.wait(until: nil)
        }
        throw session.shuttingDown
    }

    /// Ends the waits for format switches, when nobody carries them out.
    func giveUpFormatSwitches() {
        list.endFormatSwitches(with: session.shuttingDown)
    }

    private func start(of capture: PendingCapture) -> LocalTime? {
        guard let formatSwitch = capture.formatSwitch, session.rigClock.clockID == capture.order.rigClock
        else { return nil }
        return session.rigClock.localTime(at: capture.order.time).map { $0 - formatSwitch.lead }
    }

    private func carryOut(_ capture: PendingCapture) async {
        guard let formatSwitch = capture.formatSwitch else { return }
        let key = capture.order.key
        let outcome: PhotoFormatSwitch.Outcome
        do throws(RigProblem) {
            outcome = .success(try await frames(of: capture, formatSwitch))
        } catch {
            outcome = .failure(error)
        }
        list.note(.returning(outcome), ofFormatSwitch: key)
        formatSwitch.news.ring()
        await session.returnToStream()
        while !Task.isCancelled, session.machine.formatSwitch != nil { await switchRecord.waitForStep(until: nil) }
        // A stream that is not back is still away.
        if let gap = switchRecord.gap { list.note(gap, of: key) }
        list.note(.over(outcome), ofFormatSwitch: key)
        formatSwitch.news.ring()
    }

    private func frames(
        of capture: PendingCapture, _ formatSwitch: PhotoFormatSwitch
    ) async throws(RigProblem) -> [ExposedFrame] {
        let (order, choice) = (capture.order, formatSwitch.choice)
        guard start(of: capture) != nil else {
            throw RigProblem(.unsynchronized, "\(device.id): the node has lost the rig time line of T")
        }
        guard session.isRunning else { throw brokenOff(order) }
        switchRecord.begin(order.key)
        await session.switchFormat(
            to: choice.request,
            because: "the camera is in \(choice.format) for a still; its stream returns automatically")
        let first = try await firstFrame(of: order, in: choice.format)
        guard let stream = session.stream else { throw switchFailed() }
        guard (stream.format.width, stream.format.height) == (capture.resolved.width, capture.resolved.height) else {
            throw RigProblem(
                .unsupportedSettings, "\(device.id) offers \(choice.format) and delivers \(stream.format) instead")
        }
        let settled = first.midExposure + PhotoFormatSwitch.settling(session.interval)
        let isSettled = { (frame: RingFrame) in frame.midExposure - (frame.exposure ?? .zero) / 2 >= settled }
        guard let plan = capture.plan else { return [try await exposedFrame(of: order, accepting: isSettled)] }
        return try await expose(order, plan, accepting: isSettled)
    }

    /// Returns the first good frame in the still's format. It may be too late for T, and is not awaited beyond that.
    private func firstFrame(of order: CaptureOrder, in format: VideoFormat) async throws(RigProblem) -> RingFrame {
        while !Task.isCancelled {
            try checkUnderWay(order)
            if session.machine.formatSwitch == .away, let first = session.ring.oldest { return first }
            guard let time = session.rigClock.localTime(at: order.time),
                session.clock.now() < time + format.frameInterval * 2
            else {
                throw RigProblem(
                    .noFrameNearTime, "\(device.id) delivered no good frame in \(format) around T")
            }
            await switchRecord.waitForStep(until: time + format.frameInterval * 2)
        }
        throw session.shuttingDown
    }

    /// Returns why there is no still larger than the stream's frames.
    func switchFailed() -> RigProblem {
        guard !session.isShuttingDown else { return session.shuttingDown }
        return RigProblem(
            .deviceLost,
            "\(device.id) could not take a still larger than its stream's frames: \(switchRecord.trouble ?? session.stateDescription)"
        )
    }

    /// Notes the effect of a session's step on the format switch in progress, and wakes the tasks that wait for it.
    func followed(_ event: SessionMachine.Event, from before: SessionMachine.FormatSwitch?) {
        switch event {
        case .trouble(let trouble), .openFailed(let trouble):
            if before == .away { switchRecord.note(trouble.description) }
        default: break
        }
        // Nobody waits for the stream of a session that was stopped.
        if session.machine.state == .stopped { switchRecord.stopWaiting() }
        if session.machine.formatSwitch != before { wakeFormatSwitch() }
    }

    /// Wakes the tasks that wait for a step of a format switch.
    func wakeFormatSwitch() {
        switchRecord.ring()
        list.ringFormatSwitches()
    }

    // MARK: The gap in the stream

    /// Returns how long the stream was away for a capture, when it is back or its first attempt to return has failed.
    func gap(of key: CaptureKey) async -> StreamGap? {
        while !Task.isCancelled, let formatSwitch = list[key]?.formatSwitch, !formatSwitch.isOver {
            await formatSwitch.news.wait(until: nil)
        }
        return list[key]?.formatSwitch?.gap
    }

    /// Begins the gap with the last frame of the stream that the camera has left.
    func noteGap(after stream: OpenStream) {
        guard session.machine.formatSwitch != nil, stream.purpose == .session, let last = session.ring.newest
        else { return }
        switchRecord.streamLeft(
            StreamGap(localStart: last.midExposure, start: session.rigClock.rigTime(at: last.midExposure)?.time))
    }

    /// Ends the gap with the first frame of the stream that has returned.
    func streamIsBack(with frame: RingFrame) -> [SessionEvent] {
        guard session.machine.hardware == .open,
            let (key, gap) = switchRecord.streamReturned(at: frame.midExposure)
        else { return [] }
        list.note(gap, of: key)
        return [.streamGap(key, gap)]
    }
}

/// Whether a still can be larger than the stream's frames: supported, enabled, requested.
extension PendingCaptures {
    /// Returns the format for which the camera leaves its stream.
    /// - Returns: nil if the still is a frame of the stream.
    /// - Throws: `unsupportedSettings`, naming the level that is missing.
    func largerFormat(
        _ settings: PhotoSettings, beside stream: VideoFormat
    ) async throws(RigProblem) -> PhotoFormatChoice? {
        let present = PixelSize(width: stream.width, height: stream.height)
        guard let wish = settings.maxPhotoDimensions, wish != present else { return nil }
        guard present.width <= wish.width, present.height <= wish.height else {
            throw larger("the frames of its stream are \(present), beyond \(wish), and are not made smaller")
        }
        let offers = try await session.offers()
        let needsMosaic = needsMosaic(settings, stream, offers)
        guard let largest = choice(of: offers, stream, needsMosaic, within: nil) else {
            throw larger("not supported: the device offers nothing larger than its stream's \(present)")
        }
        guard let enabled = enabledDimensions else {
            throw larger(
                "supported up to \(largest.size) and not enabled: set `maxPhotoDimensions` in the device's configuration"
            )
        }
        guard enabled.allows(wish) else {
            throw larger("\(wish) is not enabled: `maxPhotoDimensions` in the device's configuration is \(enabled)")
        }
        guard let choice = choice(of: offers, stream, needsMosaic, within: wish) else {
            throw larger(
                "not supported: the device offers nothing larger than its stream's \(present) within \(wish); the largest it offers is \(largest.size)"
            )
        }
        return choice
    }

    /// The larger still that is available at present; nil if there is none, or if nothing is known of the device yet.
    var largerPhoto: LargerPhoto? {
        guard let enabled = enabledDimensions, let stream = session.stream?.format,
            let offers = session.knowledge.offers
        else { return nil }
        // A shot that needs the samples leaves the stream for them, which may be slower, or the only larger ones.
        let choices = (session.setup.input.raw.isEnabled ? [false, true] : [false]).compactMap {
            choice(of: offers, stream, $0, within: enabled.limit)
        }
        let leads = choices.map {
            PhotoFormatSwitch($0, reopening: session.knowledge.reopening, clock: session.clock).lead
        }
        guard let largest = choices.map(\.size).max(by: { $0.pixelCount < $1.pixelCount }), let lead = leads.max()
        else { return nil }
        return LargerPhoto(dimensions: largest, leadNanoseconds: lead.nanoseconds)
    }

    private func choice(
        of offers: [FormatOffer], _ stream: VideoFormat, _ needsMosaic: Bool, within limit: PixelSize?
    ) -> PhotoFormatChoice? {
        .largest(
            of: offers, beside: stream, pixelFormat: session.setup.input.format.pixelFormat, needsMosaic: needsMosaic,
            within: limit)
    }

    /// Whether the still has to be in a mosaic so that it has the sensor's samples, as it must have, and the camera offers a larger one.
    private func needsMosaic(_ settings: PhotoSettings, _ stream: VideoFormat, _ offers: [FormatOffer]) -> Bool {
        let needsSamples = settings.raw == .only || settings.raw == .withPhoto
        guard needsSamples, session.setup.input.raw.isEnabled else { return false }
        return choice(of: offers, stream, true, within: nil) != nil
    }

    private var enabledDimensions: MaxPhotoDimensions? { session.setup.input.maxPhotoDimensions }

    private func larger(_ reason: String) -> RigProblem {
        RigProblem(
            .unsupportedSettings, "\(device.id): a still larger than the stream's frames is not possible: \(reason)")
    }
}

extension ResolvedPhotoSettings {
    /// Applies the format for which the camera leaves its stream, if it does.
    mutating func apply(_ format: VideoFormat?) {
        guard let format else { return }
        photoFormat = format
        (width, height) = (format.width, format.height)
        isCameraEncoded = format.pixelFormat == .mjpeg
    }

    /// Time from frame to frame in the format for which the camera leaves its stream.
    var interval: Duration? { photoFormat?.frameInterval }
}
