/// What came of one check.
public enum CheckOutcome: Hashable, Sendable {
    case fine
    /// The facts do not suffice to tell.
    case unknown
    case found(Finding)

    /// Found if there is a finding.
    init(_ finding: Finding?) {
        self = finding.map(CheckOutcome.found) ?? .fine
    }
}

/// A check: a pure function of facts.
public typealias Check<Facts> = @Sendable (Facts) -> CheckOutcome
