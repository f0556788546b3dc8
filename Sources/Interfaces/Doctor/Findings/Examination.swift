/// The sum of what checks found.
public struct Examination: Hashable, Sendable {
    /// How many checks had what they needed to tell.
    public private(set) var checks = 0
    private var found: [Finding] = []

    public init() {}

    /// Problems, then warnings, each in the order of the checks.
    public var findings: [Finding] {
        Finding.Severity.allCases.flatMap { severity in found.filter { $0.severity == severity } }
    }

    public mutating func perform<Facts>(_ checks: [Check<Facts>], on facts: Facts) {
        for check in checks { note(check(facts)) }
    }

    public mutating func perform<Facts>(_ checks: [Check<Facts>], on list: [Facts]) {
        for facts in list { perform(checks, on: facts) }
    }

    public mutating func note(_ outcome: CheckOutcome) {
        if outcome != .unknown { checks += 1 }
        if case .found(let finding) = outcome { found.append(finding) }
    }

    /// How many findings have a severity.
    public func count(_ severity: Finding.Severity) -> Int { found.count { $0.severity == severity } }

    /// The exit status of a command that shows it: 0 nothing, 3 warnings, 4 problems.
    public var exitStatus: Int32 {
        if count(.problem) > 0 { return 4 }
        return found.isEmpty ? 0 : 3
    }
}
