/// One rig-wide trigger and all that is known about it: the content of `shot.json`, or of a take's `take.json`.
public struct Shot: Hashable, Sendable, Identifiable {
    public static let currentSchemaVersion = 2

    public var schemaVersion: Int = Shot.currentSchemaVersion
    public var id: ShotID
    /// Increases with every durable change. A late file increases it after the shot has been answered.
    public var revision: Int
    public var status: Status
    /// The instant T.
    public var time: RigTime
    /// The rig time line of `time` and of every rig time in this shot.
    public var rigClock: RigClockID
    /// The coordinator's clocks when it accepted the shot. Every date of the shot derives from them.
    public var wallClock: WallClockPair<RigTimeBase>
    /// The epoch of the coordinator that accepted the shot.
    public var coordinatorEpoch: Epoch
    /// The client's request. A repeat under the same id must be equal.
    public var request: ShotRequest
    /// The originator of the first request; nil in manifests of versions that did not record it.
    public var triggeredBy: Principal?
    /// The limits of the request, or those of the rig if it has none; nil if nothing is limited.
    public var limits: TimingLimits?
    /// What was expected when T was chosen; nil if the phases of fewer than two cameras were known.
    public var prediction: SpreadPrediction?
    /// One entry per expected capture, in order of device id, including absent cameras.
    public var captures: [Capture]
    /// Selected cameras that are closed on purpose and therefore not expected, in order of device id.
    public var leftOut: [LeftOutCamera]
    /// How simultaneous its pictures are, as of its newest manifest; nil for a take, and for fewer than two pictures.
    public var simultaneity: Simultaneity?
    /// Present if the shot is a take.
    public var take: Take?
    /// Rig time at which the client was answered, if this was before the shot was settled. Files stored later are late.
    public var answeredAt: RigTime?
    /// Rig time at which the last file became durable or was given up; nil while open.
    public var settledAt: RigTime?

    public enum Status: String, Hashable, Codable, Sendable, CaseIterable {
        /// Captures or files are outstanding.
        case open
        /// Every file of every expected capture is durable in the library.
        case complete
        /// Only a part of what was requested is durable.
        case partial
        /// No capture has its photo.
        case failed
    }

    public init(
        id: ShotID, time: RigTime, rigClock: RigClockID, wallClock: WallClockPair<RigTimeBase>, coordinatorEpoch: Epoch,
        request: ShotRequest, triggeredBy: Principal? = nil, limits: TimingLimits? = nil,
        prediction: SpreadPrediction? = nil, captures: [Capture], leftOut: [LeftOutCamera] = []
    ) {
        self.id = id
        self.revision = 0
        self.status = .open
        self.time = time
        self.rigClock = rigClock
        self.wallClock = wallClock
        self.coordinatorEpoch = coordinatorEpoch
        self.request = request
        self.triggeredBy = triggeredBy
        self.limits = limits
        self.prediction = prediction
        self.captures = captures.sorted { $0.device.id < $1.device.id }
        self.leftOut = leftOut.sorted { $0.device < $1.device }
        take = request.settings.movie == nil ? nil : Take()
    }
}

extension Shot {
    /// The status that follows from the captures: open while one has no outcome, complete when all are done, failed
    /// when none has its photo.
    public var derivedStatus: Status {
        guard captures.allSatisfy(\.isSettled) else { return .open }
        if captures.allSatisfy({ $0.phase == .done }) { return captures.isEmpty ? .failed : .complete }
        return captures.contains { $0.phase == .done || $0.phase == .partial } ? .partial : .failed
    }

    /// Compares its pictures with each other and with its limits.
    public mutating func measureTiming() {
        guard take == nil else { return }
        simultaneity = Simultaneity(of: captures)
        for place in captures.indices {
            let timing = captures[place].credibleTiming
            captures[place].exceeds =
                limits?.exceeded(
                    skew: timing.map { .nanoseconds($0.skewNanoseconds) }, bound: timing?.midExposure.bound) ?? []
        }
    }

    /// Returns why a request under this shot's id differs from the shot's request; nil if the request is a repeat.
    public func conflict(with request: ShotRequest) -> RigProblem? {
        guard request != self.request else { return nil }
        var parts: [String] = []
        if request.selection != self.request.selection { parts.append("selection") }
        if request.settings != self.request.settings { parts.append("settings") }
        if request.time != self.request.time { parts.append("time") }
        if request.requireAll != self.request.requireAll { parts.append("require-all") }
        if request.limits != self.request.limits { parts.append("limits") }
        return RigProblem(
            .conflict,
            "Shot \(id) exists with another \(parts.joined(separator: " and ")); repeat the request as it was, or use a fresh id."
        )
    }
}

extension Capture {
    /// The phase that follows from the files, once each has an outcome. The capture has failed if its photo, or every file of its movie, is
    /// missing. It is partial if a companion file is missing, a file is less than was requested, the movie ended early, or a claim of its
    /// node is wrong.
    public var derivedPhase: Phase {
        let required = requiredFiles
        // Each file of a recording plays without the others.
        let isLost =
            required.contains(where: \.kind.isMovie)
            ? !required.contains(where: \.isStored) : required.contains { !$0.isStored }
        if isLost { return .failed }
        let isWhole =
            files.allSatisfy { $0.isStored && $0.shortfall == nil } && movie?.problem == nil && claimProblem == nil
        return isWhole ? .done : .partial
    }

    /// The files without which the capture has failed: its movie or its stills; if neither was requested, the sensor's samples.
    package var requiredFiles: [CapturedFile] {
        let stills = files.filter { $0.kind.isStill || $0.kind.isMovie }
        let required = stills.isEmpty ? files.filter(\.kind.isRaw) : stills
        return required.isEmpty ? files : required
    }
}

extension CapturedFile {
    /// Whether the node is still making the file.
    package var isOwed: Bool { kind.isMadeLater && outcome == .pending && digest == nil }

    /// Whether the file was never made, as far as its node has told. The node repeats this until it hears that its report is durable.
    package var isToldFailed: Bool { outcome == .failed && digest == nil }
}

extension RigProblem {
    /// Whether there was a frame, and a file was lost.
    package var isOfFile: Bool {
        switch code {
        case .noSpace, .inputOutput, .corrupted, .fileLost: true
        default: false
        }
    }
}
