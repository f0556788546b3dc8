public import CaptureModel

/// Chooses T. Pure arithmetic on measurements.
public struct TriggerPlanner: Sendable {
    /// Time allowed for writing the first manifest, in the default lead.
    public static let journalAllowance: Duration = .milliseconds(20)
    /// Time allowed for arming in addition to the measured time, in the default lead of cameras that prepare
    /// themselves.
    public static let preparationAllowance: Duration = .milliseconds(250)
    /// Frame interval assumed for a camera that reported none.
    public static let assumedFrameInterval: Duration = .nanoseconds(33_333_333)
    /// The largest shift of T, however slow a camera is.
    public static let maximumShift: Duration = .milliseconds(250)
    /// Predicted spreads that differ by less are equal, and a prediction may be wrong by as much besides the bounds of the phases and their
    /// ``FramePhase/drift(at:)``.
    public static let predictionError: Duration = .milliseconds(1)
    /// The limit of extrapolating a phase: the error of its period adds up frame by frame.
    public static let maximumExtrapolation: Duration = .seconds(60)

    public var limits: TriggerLimits

    public init(limits: TriggerLimits) {
        self.limits = limits
    }

    /// - Parameters:
    ///   - received: The coordinator's clocks when it received the request; the present for relative times.
    ///   - cameras: The selected cameras.
    /// - Throws: `beforeRing` or `tooFarAhead`, naming the limits.
    public func plan(
        _ requested: RequestedTime, received: WallClockPair<RigTimeBase>, cameras: [PlannedCamera]
    ) throws(RigProblem) -> TriggerPlan {
        let now = received.monotonic
        switch requested {
        case .relative(let nanoseconds):
            return try fixed(now + .nanoseconds(nanoseconds), now, cameras)
        case .absolute(let realtime):
            return try fixed(received.instant(atRealtimeNanoseconds: realtime), now, cameras)
        case .soon(let lead, let exact):
            let time = now + (lead.map { .nanoseconds($0) } ?? defaultLead(cameras))
            guard exact != true else { return try fixed(time, now, cameras) }
            try check(time, now)
            return tightest(from: time, phases(of: cameras, near: time))
        }
    }

    /// Returns the time that cameras need to be armed before T: prepare and answer, the journal, the fire, and two
    /// frames. Adds the longest preparation of any camera with an allowance, because a late request is refused.
    public func defaultLead(_ cameras: [PlannedCamera]) -> Duration {
        let roundTrip = cameras.compactMap(\.roundTrip).map { min(max($0, .zero), .seconds(1)) }.max() ?? .zero
        let interval =
            cameras.map { min(max($0.frameInterval ?? Self.assumedFrameInterval, .zero), .seconds(1)) }.max() ?? .zero
        let preparation = cameras.compactMap(\.preparation).max().map { max($0, .zero) + Self.preparationAllowance }
        return Self.journalAllowance + roundTrip * 2 + interval * 2 + (preparation ?? .zero)
    }

    private func fixed(_ time: RigTime, _ now: RigTime, _ cameras: [PlannedCamera]) throws(RigProblem)
        -> TriggerPlan
    {
        try check(time, now)
        let phases = phases(of: cameras, near: time)
        return plan(time, shift: .zero, phases)
    }

    private func check(_ time: RigTime, _ now: RigTime) throws(RigProblem) {
        let ahead = time - now
        let window =
            "from \(limits.ringDepth.text) before the request to \(limits.maximumAhead.text) after it"
        guard ahead >= .zero - limits.ringDepth else {
            throw RigProblem(
                .beforeRing, "T is \(ahead.magnitude.text) before the request; the cameras keep frames for T \(window)."
            )
        }
        guard ahead <= limits.maximumAhead else {
            throw RigProblem(.tooFarAhead, "T is \(ahead.text) after the request; it must be \(window).")
        }
    }

    /// Returns the phases that can be extrapolated to `time`.
    private func phases(of cameras: [PlannedCamera], near time: RigTime) -> [FramePhase] {
        cameras.compactMap { $0.phase(near: time) }
    }

    /// Finds the T with the smallest spread, in the middle of its frames. The nearest frame of a camera changes only at
    /// instants halfway between two of its frames. Between two such instants the spread is constant, so one T for each
    /// interval is enough.
    ///
    /// The same frames can be the nearest ones in two intervals: the rest of one in which `earliest` lies, and one a
    /// period later that contains their middle. So among intervals of equal spread, T is nearest to its frames; the
    /// earliest of equals wins.
    private func tightest(from earliest: RigTime, _ phases: [FramePhase]) -> TriggerPlan {
        let period = Duration.nanoseconds(phases.map(\.periodNanoseconds).max() ?? 0)
        let latest = earliest + min(period, Self.maximumShift)
        let turns = Set(phases.flatMap { $0.turns(from: earliest, to: latest) } + [earliest, latest]).sorted()
        let clusters = zip(turns, turns.dropFirst()).compactMap { FrameCluster(of: phases, from: $0, to: $1) }
        let smallest = clusters.map(\.spread).min() ?? .zero
        let equals = clusters.filter { $0.spread <= smallest + Self.predictionError }
        guard let tightest = equals.min(by: { $0.worstSkew < $1.worstSkew }) else {
            return plan(earliest, shift: .zero, phases)
        }
        return plan(tightest.time, shift: tightest.time - earliest, phases)
    }

    private func plan(_ time: RigTime, shift: Duration, _ phases: [FramePhase]) -> TriggerPlan {
        let frames = phases.map { phase in
            BoundedRigTime(
                time: phase.frame(nearest: time), bound: (phase.bound ?? .zero) + phase.drift(at: time))
        }
        let prediction = InstantSpread(of: frames).map { spread in
            let bound = phases.contains { $0.bound == nil } ? nil : spread.bound + Self.predictionError
            return SpreadPrediction(spread: spread.spread, bound: bound, cameras: phases.count, shift: shift)
        }
        return TriggerPlan(time: time, shift: shift, prediction: prediction)
    }
}

extension RigTime {
    /// The number of frame intervals that each further picture of a bracket may take: as many as a camera may be late whose frames do not
    /// state their values, and the frame itself.
    private static let intervalsPerPicture = 11
    private static let longestInterval = Duration.seconds(1)

    /// Returns when the cameras of a shot at this T have exposed their last pictures, so that light and exposure of all are put back
    /// together; nil if the shot sets neither.
    /// - Parameter intervals: The frame interval of each camera.
    public func lastExposure(of intervals: [Duration], _ settings: PhotoSettings) -> RigTime? {
        guard let longest = intervals.max(), settings.flash == .on || settings.flash == .auto || settings.bracket != nil
        else { return nil }
        let further = max((settings.bracket?.count ?? 1) - 1, 0)
        return self + min(max(longest, .zero), Self.longestInterval) * (1 + further * Self.intervalsPerPicture)
    }
}

/// The frames that are nearest to every instant of an interval.
private struct FrameCluster {
    /// Latest minus earliest mid-exposure.
    var spread: Duration
    /// The instant of the interval nearest to the middle of the frames, where T has the most room.
    var time: RigTime
    /// How far `time` is from the frame that is farthest from it: half the spread if the interval contains the middle.
    var worstSkew: Duration

    init?(of phases: [FramePhase], from start: RigTime, to end: RigTime) {
        let frames = phases.map { $0.frame(nearest: start + (end - start) / 2) }
        guard let first = frames.min(), let last = frames.max() else { return nil }
        spread = last - first
        time = min(max(first + spread / 2, start), end)
        worstSkew = max(time - first, last - time)
    }
}

extension FramePhase {
    /// Returns the predicted mid-exposure nearest to `time`; the earlier of two equally near.
    func frame(nearest time: RigTime) -> RigTime {
        let distance = (time - midExposure).nanoseconds
        let remainder = ((distance % periodNanoseconds) + periodNanoseconds) % periodNanoseconds
        let step = remainder * 2 > periodNanoseconds ? periodNanoseconds - remainder : -remainder
        return time + .nanoseconds(step)
    }

    /// Returns the instants between `start` and `end` at which the nearest frame changes.
    func turns(from start: RigTime, to end: RigTime) -> [RigTime] {
        let period = Duration.nanoseconds(periodNanoseconds)
        let first = frame(nearest: start) + period / 2
        return Array(sequence(first: first) { $0 < end ? $0 + period : nil }).filter { start < $0 && $0 < end }
    }
}

/// The instant of a shot, and the predicted spread of its frames.
public struct TriggerPlan: Hashable, Sendable {
    /// T.
    public var time: RigTime
    /// How much later than requested T is, to be where the cameras' exposures are closest together.
    public var shift: Duration
    /// What is expected of the cameras whose phase is known; nil for fewer than two.
    public var prediction: SpreadPrediction?

    public init(time: RigTime, shift: Duration, prediction: SpreadPrediction?) {
        self.time = time
        self.shift = shift
        self.prediction = prediction
    }
}

/// The planner's data on a selected camera.
public struct PlannedCamera: Hashable, Sendable {
    /// The bound of its node's clock; nil without a clock estimate.
    public var clockBound: Duration?
    /// The time from frame to frame.
    public var frameInterval: Duration?
    /// The phase of its exposures; nil if it does not stream or its node has no clock estimate.
    public var phase: FramePhase?
    /// How far ahead of T the camera begins the capture; nil if it uses a frame of the stream.
    public var preparation: Duration?

    public init(
        clockBound: Duration? = nil, frameInterval: Duration? = nil, phase: FramePhase? = nil,
        preparation: Duration? = nil
    ) {
        self.clockBound = clockBound
        self.frameInterval = frameInterval
        self.phase = phase
        self.preparation = preparation
    }

    /// The round trip to its node, or more: the bound is half of one, and grows with age.
    public var roundTrip: Duration? { clockBound.map { $0 * 2 } }

    /// Returns its phase, if that can be extrapolated to `time`. A period outside 1 ms to 10 s is ignored. A camera that leaves its stream
    /// for the capture keeps no phase.
    func phase(near time: RigTime) -> FramePhase? {
        guard let phase, preparation == nil, (1_000_000...10_000_000_000).contains(phase.periodNanoseconds),
            (time - phase.midExposure).magnitude <= TriggerPlanner.maximumExtrapolation
        else { return nil }
        return phase
    }
}

/// The instants that can be requested.
public struct TriggerLimits: Hashable, Sendable {
    /// How far before receipt T may be: the depth of every selected camera's ring, minus the time that prepare takes.
    public var ringDepth: Duration
    /// How far after receipt T may be.
    public var maximumAhead: Duration

    public init(ringDepth: Duration, maximumAhead: Duration = .seconds(30)) {
        self.ringDepth = ringDepth
        self.maximumAhead = maximumAhead
    }
}
