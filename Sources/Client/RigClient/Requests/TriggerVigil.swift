internal import CaptureModel

/// Decides from what was heard of the coordinator, and when, whether a request about a shot is still worth waiting for and
/// whether to ask again. A coordinator that is silent is one thing, a shot that takes long another.
struct TriggerVigil {
    /// What to do about a silence.
    enum Verdict: Equatable {
        case goOn
        /// Nothing was ever heard.
        case neverHeard
        /// Something was heard once, and then not even a sign of life.
        case silent
        /// The coordinator lives, and its answer is later than it may be.
        case overdue
    }

    /// How many times the patience a coordinator may be silent that was heard before: enough for it to be started again.
    static let silenceLimit = 5

    private let patience: Duration
    private var answerLimit: Duration
    private var asked: LocalTime
    private var lastSign: LocalTime
    /// When the answer comes at the latest, as far as is known.
    private var due: LocalTime
    /// Whether the coordinator itself has said when its answer comes.
    private var isTold = false
    /// The coordinator's life that gave the last reply or sign; nil before the first one.
    private var epoch: UInt64?
    /// Connections made when the request was last sent.
    private var connections = 0

    /// - Parameter answerLimit: How long the coordinator may take for its answer, unless it says so itself.
    init(start: LocalTime, patience: Duration, answerLimit: Duration) {
        self.patience = patience
        self.answerLimit = answerLimit
        (asked, lastSign, due) = (start, start, start + answerLimit)
    }

    mutating func asked(on connections: Int, at now: LocalTime) {
        self.connections = connections
        asked = now
        due = now + answerLimit
        isTold = false
    }

    /// A reply has come.
    /// - Parameter answerWithin: How long the answer may still take; nil where the coordinator does not say.
    mutating func heard(from epoch: UInt64, at now: LocalTime, answerWithin: Duration? = nil) {
        lastSign = now
        self.epoch = epoch
        isTold = answerWithin != nil
        due = now + (answerWithin ?? answerLimit)
    }

    /// A sign of life has come.
    /// - Parameter answerLimit: How long this coordinator may take for its answer; nil where it does not say.
    mutating func signed(by epoch: UInt64, at now: LocalTime, answerLimit: Duration?) {
        lastSign = now
        if self.epoch == nil { self.epoch = epoch }
        guard let answerLimit else { return }
        self.answerLimit = answerLimit
        if !isTold { due = max(due, asked + answerLimit) }
    }

    func verdict(at now: LocalTime) -> Verdict {
        let silence = now - lastSign
        if epoch == nil { return silence >= patience ? .neverHeard : .goOn }
        if silence >= patience * Self.silenceLimit { return .silent }
        return now >= due + patience * 2 ? .overdue : .goOn
    }

    /// Whether replies to the request as it was sent can no longer come. The first connection may be made after the
    /// request was queued, and is not another one.
    func needsRepeat(epoch current: UInt64, connections: Int) -> Bool {
        epoch.map { $0 != current } ?? false || connections > max(self.connections, 1)
    }
}
