import CaptureModel

/// Which faults are asked for, and how often each point has been reached: the same plan strikes at the same hits in
/// every run.
///
/// A value without clock, signals or files.
struct FaultPlan: Sendable {
    private struct ArmedRule: Sendable {
        let rule: FaultRule
        var strikes: UInt64 = 0
        var dice: SplitMix64

        init(_ rule: FaultRule) {
            self.rule = rule
            dice = SplitMix64(seed: rule.seed)
        }

        mutating func strikes(at hit: UInt64) -> Bool {
            guard hit >= rule.firstHit, rule.times.map({ strikes < $0 }) ?? true, dice.fraction() < rule.probability
            else {
                return false
            }
            strikes += 1
            return true
        }
    }

    private var rules: [String: [ArmedRule]] = [:]
    private var hits: [String: UInt64] = [:]

    init(_ rules: [FaultRule]) {
        for rule in rules { self.rules[rule.point, default: []].append(ArmedRule(rule)) }
    }

    /// Notes that a point is reached.
    /// - Returns: How often it has been, and what is to happen: of several rules, the first that strikes.
    mutating func hit(_ point: String) -> (count: UInt64, action: FaultAction?) {
        let count = (hits[point] ?? 0) + 1
        hits[point] = count
        for index in rules[point, default: []].indices where rules[point]?[index].strikes(at: count) == true {
            return (count, rules[point]?[index].rule.action)
        }
        return (count, nil)
    }
}
