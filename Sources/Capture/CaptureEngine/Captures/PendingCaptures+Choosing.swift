import CaptureModel
import FaultPoints
import Recording

/// Waits for the frames of a capture.
extension PendingCaptures {
    /// Waits for the frame of T. Checks at every good frame, and once when no later frame can change the choice.
    /// `FrameChooser` defines when a choice is final.
    /// - Parameter isMeant: Whether a frame counts.
    func choose(
        _ order: CaptureOrder, accepting isMeant: (RingFrame) -> Bool = { _ in true }
    ) async throws(RigProblem) -> RingFrame {
        let alarm = list.beginWait(for: order.key)
        let chooser = FrameChooser(
            time: order.time, period: session.interval,
            delivery: session.ring.longestDelivery * 5 / 4 + .milliseconds(1))
        while !Task.isCancelled {
            await SessionFault.frame.reached()
            try checkUnderWay(order)
            switch try decide(chooser, order, isMeant) {
            case .frame(let frame): return frame
            // The estimate of rig time moves by microseconds, so the instant is converted again each time.
            case .wait(let instant):
                await alarm.wait(until: session.rigClock.localTime(at: instant).map { $0 + .microseconds(1) })
            }
        }
        throw session.shuttingDown
    }

    private enum Choice {
        case frame(RingFrame)
        case wait(until: RigTime)
    }

    private func decide(
        _ chooser: FrameChooser, _ order: CaptureOrder, _ isMeant: (RingFrame) -> Bool
    ) throws(RigProblem) -> Choice {
        try checkFrames(of: order)
        if let clockID = session.rigClock.clockID, clockID != order.rigClock {
            throw RigProblem(
                .unsynchronized, "\(device.id): the rig time line of T has ended with its coordinator's machine")
        }
        let now = try session.rigTime(at: session.clock.now())
        let center = session.rigClock.localTime(at: order.time) ?? session.clock.now()
        let frames = session.ring.frames(in: center - chooser.period * 2...center + chooser.period * 2).filter(isMeant)
        let midExposures = try frames.map { (frame) throws(RigProblem) in
            try session.rigTime(at: frame.midExposure).time
        }
        let damaged = Set(frames.indices.filter { frames[$0].damage != nil })
        switch chooser.decide(midExposures: midExposures, damaged: damaged, now: now.time) {
        case .wait(let instant): return .wait(until: instant)
        case .choose(let index): return .frame(frames[index])
        case .missed(let problem): throw explained(problem, order)
        }
    }

    /// Names the interruption of the stream as the cause of a missing frame, if there was one.
    private func explained(_ problem: RigProblem, _ order: CaptureOrder) -> RigProblem {
        guard list[order.key]?.interruption == nil else { return brokenOff(order) }
        let stream = session.stream.flatMap { $0.rejected.isEmpty ? nil : $0 }
        let why = stream.map { " Since its last good frame, \($0.complaint(at: session.clock.now()))" } ?? ""
        return RigProblem(problem.code, "\(device.id): \(problem.message)\(why)")
    }

    /// Returns the first frame that has a setting.
    func firstFrame(
        of order: CaptureOrder, with setting: AppliedSetting, number: Int
    ) async throws(RigProblem) -> RingFrame {
        let late = RigProblem(
            .noFrameNearTime,
            "\(device.id): no good frame arrived with the settings of picture \(number) of the bracket within \(setting.deadline - setting.watch.accepted)"
        )
        return try await firstFrame(of: order, by: setting.deadline, or: late) { ring, isLastLook in
            ring.frames(in: setting.watch.began...setting.deadline)
                .first { (isLastLook || $0.damage == nil) && controls.covers($0, after: CapturePlan.lateFrames) }
        }
    }

    /// How long after T the first frame of a movie may be. A camera that drops one at T is not left out because of
    /// that.
    private static let longestBeginning = Duration.seconds(2)

    /// Returns the first frame at or after T.
    func firstMovieFrame(of order: CaptureOrder) async throws(RigProblem) -> RingFrame {
        let start = session.rigClock.localTime(at: order.time) ?? session.clock.now()
        let late = RigProblem(
            .noFrameNearTime, "\(device.id): no good frame arrived within \(Self.longestBeginning) after T")
        return try await firstFrame(
            of: order, by: start + Self.longestBeginning, or: late, pausing: { await MovieFault.firstFrame.reached() }
        ) { ring, _ in
            guard let newest = ring.newest, newest.midExposure >= start else { return nil }
            return ring.frames(in: start...newest.midExposure).first
        }
    }

    /// Looks for a frame at every good frame.
    /// - Parameters:
    ///   - limit: The instant until which the frame may arrive.
    ///   - problem: The error if none has arrived by then.
    ///   - look: Returns the frame, if it is there. The flag says that nobody looks again.
    private func firstFrame(
        of order: CaptureOrder, by limit: LocalTime, or problem: RigProblem,
        pausing pause: () async -> Void = {}, in look: (FrameRing, Bool) -> RingFrame?
    ) async throws(RigProblem) -> RingFrame {
        let alarm = list.beginWait(for: order.key)
        while !Task.isCancelled {
            try checkUnderWay(order)
            try checkFrames(of: order)
            let isLastLook = session.clock.now() >= limit
            if let frame = look(session.ring, isLastLook) { return frame }
            guard !isLastLook else { throw problem }
            await pause()
            await alarm.wait(until: limit)
        }
        throw session.shuttingDown
    }

    // MARK: Checks

    /// Checks that a capture has frames to wait for: it was not given up, and its camera is in the format of its still.
    func checkUnderWay(_ order: CaptureOrder) throws(RigProblem) {
        guard let capture = list[order.key] else {
            throw list.problem(of: order.key) ?? RigProblem(.cancelled, "\(device.id): the capture was abandoned")
        }
        let step = session.machine.formatSwitch
        guard capture.formatSwitch == nil || step == .leaving || step == .away else { throw switchFailed() }
    }

    /// - Throws: If the frames of the capture are gone.
    private func checkFrames(of order: CaptureOrder) throws(RigProblem) {
        if list[order.key]?.hasLostFrames == true { throw brokenOff(order) }
    }

    func timing<Payload>(of frame: StampedFrame<Payload>, order: CaptureOrder) throws(RigProblem) -> FrameTiming {
        try checkFrames(of: order)
        let mid = try session.rigTime(at: frame.midExposure)
        let dequeued = try session.rigTime(at: frame.dequeued)
        let exposure = controls.facts(of: frame)
        return FrameTiming(
            sequence: frame.sequence, localMidExposure: frame.midExposure,
            midExposure: BoundedRigTime(time: mid.time, bound: mid.bound + exposure.bound),
            skewNanoseconds: (mid.time - order.time).nanoseconds, exposureNanoseconds: exposure.time?.nanoseconds,
            dequeued: dequeued.time, settings: exposure.settings, stampOrigin: frame.stampOrigin ?? session.stampOrigin,
            sharedError: session.sharedError(of: frame, exposure: exposure.time))
    }
}
