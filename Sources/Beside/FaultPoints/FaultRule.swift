/// What is to happen at a point, and when.
///
/// Written `POINT=ACTION[,hit=N][,times=N|always][,probability=P][,seed=N]`, such as `spool.manifest.rename=crash,hit=3`.
public struct FaultRule: Hashable, Sendable {
    /// The name of a point.
    public var point: String
    public var action: FaultAction
    /// The first time the point is reached at which it may happen, counted from 1.
    public var firstHit: UInt64 = 1
    /// How often it happens at most; nil for always.
    public var times: UInt64? = 1
    /// The chance with which it happens each time, 0 to 1.
    public var probability = 1.0
    /// Seed of the dice.
    public var seed: UInt64 = 1

    public init(point: String, action: FaultAction) {
        self.point = point
        self.action = action
    }

    /// - Throws: What is wrong with `text`, for people.
    public init(parsing text: String) throws(InvalidFaultRule) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let head = fields[0].split(separator: "=", maxSplits: 1).map(String.init)
        guard head.count == 2, let action = FaultAction(head[1]) else {
            throw InvalidFaultRule(
                rule: text,
                reason: "write POINT=ACTION, such as spool.manifest.rename=crash or agent.control.hello=delay:250ms")
        }
        self.init(point: head[0], action: action)
        for field in fields.dropFirst() {
            let pair = field.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, set(pair[0], pair[1]) else {
                throw InvalidFaultRule(
                    rule: text, reason: "'\(field)' is none of hit=N, times=N, times=always, probability=P, seed=N")
            }
        }
    }

    private mutating func set(_ key: String, _ value: String) -> Bool {
        switch (key, UInt64(value), Double(value)) {
        case ("hit", let number?, _) where number > 0: firstHit = number
        case ("times", let number?, _) where number > 0: times = number
        case ("times", nil, _) where value == "always": times = nil
        case ("probability", _, let chance?) where (0...1).contains(chance): probability = chance
        case ("seed", let number?, _): seed = number
        default: return false
        }
        return true
    }
}

/// A rule that cannot be kept.
public struct InvalidFaultRule: Error, Hashable, CustomStringConvertible {
    public var rule: String
    public var reason: String

    public var description: String { "the fault '\(rule)' cannot be: \(reason)" }
}
