/// A claim of a node about a capture that the coordinator does not believe: an entry of `captures[].doubts` of a manifest.
///
/// What the node has claimed stays in the manifest as it came. `docs/design/shot.md` lists what is checked.
public struct DoubtedClaim: Hashable, Codable, Sendable {
    /// What the claim is about: the member of the capture that has it.
    public enum Claim: String, Hashable, Codable, Sendable, CaseIterable {
        /// Mid-exposure minus T.
        case skew
        /// The bound of the mid-exposure.
        case bound
        case midExposure
        case dequeued
        /// The revision of the camera's settings, at the still or during the clip.
        case settings
        case streamGap
        case clip
        case movie

        /// Whether it is about the instant of the picture.
        public var isOfInstant: Bool {
            switch self {
            case .skew, .bound, .midExposure, .dequeued: true
            case .settings, .streamGap, .clip, .movie: false
            }
        }
    }

    public enum Verdict: String, Hashable, Codable, Sendable, CaseIterable {
        /// It cannot be true.
        case wrong
        /// The coordinator does not have what it needs to check it.
        case unverified
    }

    public var claim: Claim
    public var verdict: Verdict
    /// A clause for people: what is claimed, and what contradicts it.
    public var reason: String

    public init(_ claim: Claim, _ verdict: Verdict, _ reason: String) {
        self.claim = claim
        self.verdict = verdict
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case claim = "claim"
        case verdict = "verdict"
        case reason = "reason"
    }
}

extension Capture {
    /// Its timing, unless the coordinator knows that the instant is wrong.
    public var credibleTiming: FrameTiming? {
        doubts.contains { $0.verdict == .wrong && $0.claim.isOfInstant } ? nil : timing
    }

    /// Why it is not done although its files are stored: what its node has claimed of it and cannot be true; nil if there is nothing.
    public var claimProblem: RigProblem? { problem(of: doubts) }

    /// Why a file is missing, less than was requested, or not what its node has claimed; nil if it is as requested. A stored file has
    /// only its own problem, even if its capture lacks other files.
    public func problem(of file: CapturedFile) -> RigProblem? {
        file.problem ?? file.shortfall
            ?? (file.isStored ? problem(of: doubts.filter { $0.claim.concerns(file.kind) }) : problem)
    }

    /// Whether its node has claimed of a stored file what cannot be true.
    public func isDoubted(_ file: CapturedFile) -> Bool {
        file.isStored && doubts.contains { $0.verdict == .wrong && $0.claim.concerns(file.kind) }
    }

    /// Remarks on the claims that could not be checked.
    public var unverifiedNotes: [String] {
        doubts.filter { $0.verdict == .unverified }.map { "not verified: \($0.reason)" }
    }

    private func problem(of doubts: [DoubtedClaim]) -> RigProblem? {
        let wrong = doubts.filter { $0.verdict == .wrong }
        guard !wrong.isEmpty else { return nil }
        let reasons = wrong.map(\.reason).joined(separator: "; ")
        return RigProblem(
            .protocolViolation,
            "Node '\(device.id.node)' has claimed of '\(device.id)' what cannot be true: \(reasons). The files are stored as they came. Check the clock of the node, use programs of the same version, and report this error."
        )
    }
}

extension DoubtedClaim.Claim {
    fileprivate func concerns(_ kind: AssetKind) -> Bool {
        switch self {
        case .clip: kind == .pairedVideo || kind == .motionPhoto
        case .movie: kind.isMovie
        case .skew, .bound, .midExposure, .dequeued, .settings, .streamGap: kind != .pairedVideo
        }
    }
}
