/// Which faults are asked for, and how often each point has been reached: the same plan strikes at the same hits in
/// every run.
///
/// A value without clock, signals or files.
struct FaultPlan: Sendable {
    private struct ArmedRule: Sendable {
        let rule: FaultRule
        var strikes: UInt64 = 0
        var dice: RuleDice

        init(_ rule: FaultRule) {
            self.rule = rule
            dice = RuleDice(seed: rule.seed)
        }

        mutating func strikes(at hit: UInt64) -> Bool {
            guard hit >= rule.firstHit, rule.times.map({ strikes < $0 }) ?? true, dice.roll() < rule.probability else {
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

/// Chances that are the same in every run (SplitMix64).
struct RuleDice: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A number from 0 to below 1.
    mutating func roll() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
    }
}
