public import AuditLog

/// What a verification of an audit log has found: `capctl audit verify`.
public struct AuditVerificationDocument: Encodable, Sendable {
    /// `matches`, `cutBack`, `rewritten` or `tooOld`; absent without a head to compare with.
    var comparison: String?
    /// The head to keep; absent if the log has no records, or if its newest are not intact.
    public var head: String?
    var intact: [Range]
    var isIntact: Bool
    var problemCount: Int
    var problems: [Problem]
    var unfinishedBytes: Integer64

    /// Records that follow from each other.
    struct Range: Encodable {
        var first: Integer64
        var last: Integer64
    }

    /// A damaged place.
    struct Problem: Encodable {
        var description: String
        var file: String
        var line: Int
        var reason: String
    }

    public init(_ found: AuditVerification) {
        comparison = found.comparison?.word
        head = found.isHeadIntact ? found.head.map { "\($0)" } : nil
        intact = found.intact.map { Range(first: Integer64($0.lowerBound), last: Integer64($0.upperBound)) }
        isIntact = found.isIntact
        problemCount = found.problemCount
        problems = found.problems.map { problem in
            Problem(
                description: problem.description, file: problem.place.file, line: problem.place.line,
                reason: problem.reason.rawValue)
        }
        unfinishedBytes = Integer64(found.unfinishedBytes)
    }
}

extension AuditVerification.Comparison {
    fileprivate var word: String {
        switch self {
        case .matches: "matches"
        case .cutBack: "cutBack"
        case .rewritten: "rewritten"
        case .tooOld: "tooOld"
        }
    }
}
