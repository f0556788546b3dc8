/// Every point of a program, with what can be made to happen there.
public struct FaultCatalogue: Sendable {
    /// One point.
    public struct Entry: Hashable, Sendable {
        public let name: String
        public let abilities: [FaultAbility]
    }

    /// In order of name.
    public let entries: [Entry]

    public init(_ sets: [any FaultPoint.Type]) {
        entries = sets.flatMap { Self.entries(of: $0) }.sorted { $0.name < $1.name }
    }

    /// One point a line: its name, then its abilities.
    public var listing: String {
        entries.map { "\($0.name) \($0.abilities.map(\.rawValue).joined(separator: ","))\n" }.joined()
    }

    /// The rules written in `texts`.
    /// - Throws: Where one is not well written, or asks for what its point cannot do.
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
