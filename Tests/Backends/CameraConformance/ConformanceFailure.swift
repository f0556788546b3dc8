/// A promise that a camera broke.
public struct ConformanceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public var check: ConformanceCheck
    /// What was seen.
    public var finding: String

    public init(_ check: ConformanceCheck, _ finding: String) {
        self.check = check
        self.finding = finding
    }

    public var description: String { "\(check): \(finding)" }
}

/// What a check saw that it must not see.
struct Finding: Error {
    var text: String

    init(_ text: String) {
        self.text = text
    }
}

/// Throws the finding unless the condition holds.
func require(_ condition: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(finding()) }
}
