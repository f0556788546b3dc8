public import RigMatching

/// A run of a gateway that matches or locks cameras.
public struct MatchRunDocument: Encodable, Sendable {
    /// What becomes of a run.
    public enum State: String, Encodable, Sendable {
        case underWay
        /// It is to end; what is being set is waited for.
        case cancelling
        case cancelled
        /// Every camera has an outcome.
        case ended
    }

    /// RFC 3339.
    var began: String
    /// RFC 3339; absent while it is under way.
    var ended: String?
    /// Who has begun it.
    var principal: String
    var report: SettingsMatchDocument
    var run: String
    var state: State

    public var hasEnded: Bool { ended != nil }

    /// - Parameters:
    ///   - began: `CLOCK_REALTIME` in nanoseconds, as `ended`.
    ///   - report: What is known so far.
    public init(
        run: String, _ state: State, by principal: String, began: Int64, ended: Int64?, _ report: MatchReport
    ) {
        self.began = RFC3339.text(realtimeNanoseconds: began)
        self.ended = ended.map(RFC3339.text(realtimeNanoseconds:))
        (self.principal, self.run, self.state) = (principal, run, state)
        self.report = SettingsMatchDocument(report)
    }
}

/// The runs that a gateway knows.
public struct MatchRunListDocument: Encodable, Sendable {
    /// The newest first.
    var runs: [MatchRunDocument]

    public init(_ runs: [MatchRunDocument]) {
        self.runs = runs
    }
}
