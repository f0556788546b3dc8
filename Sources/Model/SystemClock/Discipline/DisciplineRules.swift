import CaptureModel

/// What is known of how this machine's clock is kept in step, at one moment.
struct DisciplineEvidence: Sendable {
    /// Both clocks before and after the programs were asked.
    var before: BoundedClockPair
    var after: BoundedClockPair
    /// Whether the kernel calls its clock synchronized; nil if this process may not ask.
    var isSynchronized: Bool?
    /// The programs that run, as far as this process may see them.
    var programs: Set<ClockProgram> = []
    /// Whether `ptp4l` sets `CLOCK_REALTIME` itself.
    var isPTPInSoftware = false
    /// The command line of each `phc2sys` that runs.
    var phc2sys: [PHCCommandLine] = []
    /// What each program says; nil if it does not run, or may not be asked.
    var ptp: PTPStatus?
    var chrony: ChronyStatus?
}

/// Decides how far `CLOCK_REALTIME` can be from what it follows, by the table in `docs/design/time.md`. A value without
/// a clock.
///
/// `CLOCK_REALTIME` must not have been stepped since the reading before. The largest error that the kernel reports is
/// not a bound: `systemd-timesyncd`, `ptp4l` and `phc2sys` set it to 0.
struct DisciplineRules: Sendable {
    /// The largest error with which both clocks are read together.
    static let largestPairError = Duration.microseconds(1)
    /// The resolution of stamps and clocks.
    static let resolution = Duration.microseconds(1)
    /// How far `phc2sys` lets `CLOCK_REALTIME` and the clock of a network card be apart. Reading that of a Raspberry Pi
    /// CM4 takes 50 µs, of which half can be the error, and a clock that starts within 20 µs is not stepped.
    static let cardAllowance = Duration.microseconds(50)
    /// The number of readings of `ptp4l` of which the largest counts.
    private static let recentCount = 4

    /// How far `CLOCK_REALTIME` was ahead of `CLOCK_MONOTONIC` at the reading before, nanoseconds. Only a step changes
    /// it.
    private var lead: Int64?
    /// What a follower of PTP has said lately; empty if it followed something else.
    private var recent: [PTPStatus] = []
    /// When the last message of the master had come at the reading before.
    private var ingress: Int64?
    /// Whether PTP was believed at the newest reading.
    private(set) var believesPTP = false
    /// Why what `ptp4l` says of the clock of a card says nothing of `CLOCK_REALTIME`, for people; nil if it does.
    private(set) var doubt: String?

    private typealias Claim = (reference: ClockReference, bound: Duration)

    mutating func reading(from evidence: DisciplineEvidence) -> DisciplinedClock<LocalTimeBase>? {
        let wasStepped = wasStepped(evidence)
        if wasStepped { recent = [] }
        let byPTP = ptp(evidence)
        believesPTP = byPTP != nil
        let claim = byPTP ?? ntp(evidence)
        let error = max(evidence.before.error, evidence.after.error)
        guard !wasStepped, let claim, error <= Self.largestPairError else { return nil }
        // What is being corrected when the programs answer was more before, and is less afterwards.
        return DisciplinedClock(
            reference: claim.reference, bound: claim.bound + evidence.after.error, pair: evidence.after.pair)
    }

    /// - Returns: Also true before it can be told.
    private mutating func wasStepped(_ evidence: DisciplineEvidence) -> Bool {
        let (before, after) = (evidence.before.lead, evidence.after.lead)
        let tolerance = (evidence.before.error + evidence.after.error).nanoseconds
        defer { lead = after }
        guard let lead else { return true }
        let allowed = max(tolerance, Self.largestPairError.nanoseconds)
        return (before &- lead).magnitude > UInt64(allowed) || (after &- before).magnitude > UInt64(allowed)
    }

    private mutating func ptp(_ evidence: DisciplineEvidence) -> Claim? {
        let isInSoftware = evidence.isPTPInSoftware
        doubt = isInSoftware ? nil : evidence.cardDoubt
        guard let status = evidence.ptp, evidence.programs.contains(.ptp), doubt == nil,
            (1...ClockReference.identityLimit).contains(status.grandmaster.utf8.count)
        else {
            recent = []
            return nil
        }
        let allowance = isInSoftware ? Self.resolution : Self.cardAllowance
        let reference = ClockReference(source: .ptp, identity: status.grandmaster)
        if status.isGrandmaster {
            recent = []
            return (reference, allowance)
        }
        // Announcements keep a port a slave whose master no longer sends the time. Its offset is then an old one.
        let isStale = status.ingress != nil && status.ingress == ingress
        ingress = status.ingress
        let setters = evidence.setters.subtracting(isInSoftware ? [] : [.phc2sys])
        guard status.isFollower, !isStale, status.pathDelay > 0, evidence.isSynchronized == true, setters.isEmpty else {
            recent = []
            return nil
        }
        if recent.last?.grandmaster != status.grandmaster || recent.last?.stepsRemoved != status.stepsRemoved {
            recent = []
        }
        recent = recent.suffix(Self.recentCount - 1) + [status]
        let offset = recent.map(\.offset.magnitude).max() ?? 0
        let delay = recent.map(\.pathDelay).max() ?? 0
        // Each clock on the way is taken to be as far from its master as this one.
        return (reference, allowance + Self.duration((offset + delay) * Double(status.stepsRemoved)))
    }

    private func ntp(_ evidence: DisciplineEvidence) -> Claim? {
        // A grandmaster that stamps in software sets no clock.
        let isSetByPTP = evidence.isPTPInSoftware && evidence.ptp?.isGrandmaster != true
        guard let status = evidence.chrony, status.isInStep, evidence.isSynchronized != false, !isSetByPTP,
            evidence.setters.isSubset(of: [.chrony])
        else { return nil }
        return (
            ClockReference(source: .ntp, identity: "utc"), Self.resolution + Self.duration(status.bound * 1e9)
        )
    }

    private static func duration(_ nanoseconds: Double) -> Duration {
        .nanoseconds(Int64(min(nanoseconds.rounded(.up), 1e18)))
    }
}

extension DisciplineEvidence {
    fileprivate var setters: Set<ClockProgram> { programs.filter(\.setsWallClock) }

    /// Why nothing keeps `CLOCK_REALTIME` and the clock of the card of `ptp4l` together; nil if `phc2sys` does, or if
    /// `ptp4l` neither follows nor is followed.
    fileprivate var cardDoubt: String? {
        guard let ptp, ptp.isFollower || ptp.isGrandmaster else { return nil }
        guard programs.contains(.phc2sys), let line = phc2sys.first else { return "phc2sys does not run" }
        guard phc2sys.count == 1 else { return "phc2sys runs more than once" }
        return line.objection(isGrandmaster: ptp.isGrandmaster)
    }
}
