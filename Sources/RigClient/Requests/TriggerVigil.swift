internal import CaptureModel

/// Decides from what was heard of a trigger, and when, whether it is still worth waiting for and whether to ask again.
struct TriggerVigil {
    /// What to do about a silence.
    enum Verdict: Equatable {
        case goOn
        /// Nothing was ever heard.
        case neverHeard
        /// Something was heard once, and then nothing for longer than the shot can take.
        case lost
    }

    private let patience: Duration
    private let answerLimit: Duration
    private var lastSign: LocalTime
    /// The coordinator's life that gave the last reply; nil before the first one.
    private var epoch: UInt64?
    /// Connections made when the request was last sent.
    private var connections = 0

    /// - Parameter answerLimit: How long the coordinator may take for its answer once it has taken the shot on.
    init(start: LocalTime, patience: Duration, answerLimit: Duration) {
        self.patience = patience
        self.answerLimit = answerLimit
        lastSign = start
    }

    mutating func asked(on connections: Int) {
        self.connections = connections
    }

    mutating func heard(from epoch: UInt64, at now: LocalTime) {
        lastSign = now
        self.epoch = epoch
    }

    func verdict(at now: LocalTime) -> Verdict {
        let silence = now - lastSign
        if epoch == nil { return silence >= patience ? .neverHeard : .goOn }
        return silence >= answerLimit + patience * 2 ? .lost : .goOn
    }

    /// Whether replies to the request as it was sent can no longer come. The first connection may be made after the
    /// request was queued, and is not another one.
    func needsRepeat(epoch current: UInt64, connections: Int) -> Bool {
        epoch != current || connections > max(self.connections, 1)
    }
}
