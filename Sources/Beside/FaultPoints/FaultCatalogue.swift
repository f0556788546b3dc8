/// All fault points of a program, with their abilities.
public struct FaultCatalogue: Sendable {
    /// One point.
    public struct Entry: Hashable, Sendable {
        public let name: String
        public let abilities: [FaultAbility]
    }

    /// Sorted by name.
    public let entries: [Entry]

    public init(_ sets: [any FaultPoint.Type]) {
        entries = sets.flatMap { Self.entries(of: $0) }.sorted { $0.name < $1.name }
    }

    /// One line for each point: its name, then its abilities.
    public var listing: String {
        entries.map { "\($0.name) \($0.abilities.map(\.rawValue).joined(separator: ","))\n" }.joined()
    }

    /// Parses the rules in `texts`.
    /// - Throws: If a rule is malformed, names an unknown point, or requires an ability that its point does not have.
    public func rules(_ texts: [String]) throws(InvalidFaultRule) -> [FaultRule] {
        var rules: [FaultRule] = []
        for text in texts {
            let rule = try FaultRule(parsing: text)
            guard let entry = entries.first(where: { $0.name == rule.point }) else {
                throw InvalidFaultRule(
                    rule: text, reason: "there is no point '\(rule.point)'; --list-faults names them")
            }
            guard entry.abilities.contains(rule.action.ability) else {
                let abilities = entry.abilities.map(\.rawValue).joined(separator: ", ")
                throw InvalidFaultRule(rule: text, reason: "'\(rule.point)' can \(abilities)")
            }
            rules.append(rule)
        }
        return rules
    }

    private static func entries<Point: FaultPoint>(of set: Point.Type) -> [Entry] {
        set.allCases.map { Entry(name: $0.rawValue, abilities: set.abilities) }
    }
}

/// An action at a point, and when it occurs.
///
/// Written `POINT=ACTION[,hit=N][,times=N|always][,probability=P][,seed=N]`, such as `spool.manifest.rename=crash,hit=3`.
public struct FaultRule: Hashable, Sendable {
    /// The name of a point.
    public var point: String
    public var action: FaultAction
    /// The first pass of the point at which the action may occur, from 1.
    public var firstHit: UInt64 = 1
    /// The most times that it occurs; nil for always.
    public var times: UInt64? = 1
    /// The probability of the action at each pass, 0 to 1.
    public var probability = 1.0
    /// The seed of the random numbers.
    public var seed: UInt64 = 1

    public init(point: String, action: FaultAction) {
        self.point = point
        self.action = action
    }

    /// - Throws: A description of what is wrong with `text`, for people.
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
                    rule: text, reason: "'\(field)' is not one of hit=N, times=N, times=always, probability=P, seed=N")
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
