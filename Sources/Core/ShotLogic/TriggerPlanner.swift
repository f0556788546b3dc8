public import CaptureModel

/// Chooses T. Pure arithmetic on what has been measured.
public struct TriggerPlanner: Sendable {
    /// Time allowed for writing the first manifest, in the default lead.
    public static let journalAllowance: Duration = .milliseconds(20)
    /// Time allowed for arming beyond what is measured, in the default lead of cameras that prepare themselves.
    public static let preparationAllowance: Duration = .milliseconds(250)
    /// Frame interval assumed of a camera that told none.
    public static let assumedFrameInterval: Duration = .nanoseconds(33_333_333)
    /// T is never moved by more, however slow a camera is.
    public static let maximumShift: Duration = .milliseconds(250)
    /// A phase is not extrapolated farther than this: the error of its period adds up frame by frame.
    public static let maximumExtrapolation: Duration = .seconds(60)

    public var limits: TriggerLimits

    public init(limits: TriggerLimits) {
        self.limits = limits
    }

    /// - Parameters:
    ///   - received: the coordinator's clocks when it received the request; "now" for everything relative.
    ///   - cameras: the selected ones.
    /// - Throws: `beforeRing` or `tooFarAhead`, naming the limits.
    public func plan(
        _ requested: RequestedTime, received: WallClockPair<RigTimeBase>, cameras: [PlannedCamera]
    ) throws(CaptureProblem) -> TriggerPlan {
        let now = received.monotonic
        switch requested {
        case .relative(let nanoseconds):
            return try fixed(now + .nanoseconds(nanoseconds), now, cameras)
        case .absolute(let realtime):
            return try fixed(received.instant(atRealtimeNanoseconds: realtime), now, cameras)
        case .soon(let lead):
            let time = now + (lead.map { .nanoseconds($0) } ?? defaultLead(cameras))
            try check(time, now)
            return tightest(from: time, phases(of: cameras, near: time))
        }
    }

    /// What cameras need to be armed before T: prepare and answer, the journal, and the fire, beside two frames; and what
    /// the slowest of them needs to prepare itself, with an allowance, since it is refused where it comes too late.
    public func defaultLead(_ cameras: [PlannedCamera]) -> Duration {
        let roundTrip = cameras.compactMap(\.roundTrip).map { min(max($0, .zero), .seconds(1)) }.max() ?? .zero
        let interval =
            cameras.map { min(max($0.frameInterval ?? Self.assumedFrameInterval, .zero), .seconds(1)) }.max() ?? .zero
        let preparation = cameras.compactMap(\.preparation).max().map { max($0, .zero) + Self.preparationAllowance }
        return Self.journalAllowance + roundTrip * 2 + interval * 2 + (preparation ?? .zero)
    }

    private func fixed(_ time: RigTime, _ now: RigTime, _ cameras: [PlannedCamera]) throws(CaptureProblem)
        -> TriggerPlan
    {
        try check(time, now)
        let phases = phases(of: cameras, near: time)
        return plan(time, shift: .zero, phases)
    }

    private func check(_ time: RigTime, _ now: RigTime) throws(CaptureProblem) {
        let ahead = time - now
        let window =
            "from \(limits.ringDepth.text) before the request to \(limits.maximumAhead.text) after it"
        guard ahead >= .zero - limits.ringDepth else {
            throw CaptureProblem(
                .beforeRing, "T is \(ahead.magnitude.text) before the request; the cameras keep frames for T \(window)."
            )
        }
        guard ahead <= limits.maximumAhead else {
            throw CaptureProblem(.tooFarAhead, "T is \(ahead.text) after the request; it may lie \(window).")
        }
    }

    /// The phases that can be extrapolated to `time`; periods outside 1 ms to 10 s are not believed.
    private func phases(of cameras: [PlannedCamera], near time: RigTime) -> [FramePhase] {
        cameras.compactMap(\.phase).filter { phase in
            (1_000_000...10_000_000_000).contains(phase.periodNanoseconds)
                && (time - phase.midExposure).magnitude <= Self.maximumExtrapolation
        }
    }

    /// Which frame of each camera is nearest changes only at instants half way between two of its frames. Between two
    /// such instants the spread is constant, so trying one T for each stretch finds the smallest; the earliest of equals.
    private func tightest(from earliest: RigTime, _ phases: [FramePhase]) -> TriggerPlan {
        let period = Duration.nanoseconds(phases.map(\.periodNanoseconds).max() ?? 0)
        let latest = earliest + min(period, Self.maximumShift)
        let turns = Set(phases.flatMap { $0.turns(from: earliest, to: latest) } + [earliest, latest]).sorted()
        let clusters = zip(turns, turns.dropFirst()).compactMap { FrameCluster(of: phases, from: $0, to: $1) }
        guard let tightest = clusters.min(by: { $0.spread < $1.spread }) else {
            return plan(earliest, shift: .zero, phases)
        }
        return plan(tightest.time, shift: tightest.time - earliest, phases)
    }

    private func plan(_ time: RigTime, shift: Duration, _ phases: [FramePhase]) -> TriggerPlan {
        let spread = phases.count < 2 ? nil : FrameCluster(of: phases, from: time, to: time)?.spread
        return TriggerPlan(time: time, shift: shift, predictedSpread: spread, predictedCameras: phases.count)
    }
}

/// The frames that are nearest to every instant of a stretch.
private struct FrameCluster {
    /// Latest minus earliest mid-exposure.
    var spread: Duration
    /// The instant of the stretch nearest to the middle of the frames, where T has the most room.
    var time: RigTime

    init?(of phases: [FramePhase], from start: RigTime, to end: RigTime) {
        let frames = phases.map { $0.frame(nearest: start + (end - start) / 2) }
        guard let first = frames.min(), let last = frames.max() else { return nil }
        spread = last - first
        time = min(max(first + spread / 2, start), end)
    }
}

extension FramePhase {
    /// The predicted mid-exposure nearest to `time`; the earlier of two equally near.
    func frame(nearest time: RigTime) -> RigTime {
        let distance = (time - midExposure).nanoseconds
        let remainder = ((distance % periodNanoseconds) + periodNanoseconds) % periodNanoseconds
        let step = remainder * 2 > periodNanoseconds ? periodNanoseconds - remainder : -remainder
        return time + .nanoseconds(step)
    }

    /// The instants between `start` and `end` at which the nearest frame changes.
    func turns(from start: RigTime, to end: RigTime) -> [RigTime] {
        let period = Duration.nanoseconds(periodNanoseconds)
        let first = frame(nearest: start) + period / 2
        return Array(sequence(first: first) { $0 < end ? $0 + period : nil }).filter { start < $0 && $0 < end }
    }
}
