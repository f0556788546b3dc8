public import CaptureModel

/// What deletes shots of the library by itself, as its last pass found it.
struct RetentionDocument: Encodable {
    /// Absent before the first pass.
    var checkedAt: String?
    /// A sentence about the oldest shot that stays; absent if none does.
    var example: String?
    /// Shots that are due and stay, by why.
    var heldBack: [String: Integer64]
    /// Bytes that the disk lacks to have those that are to be free.
    var lackingBytes: Integer64
    var rule: String

    init(_ status: RetentionStatus) {
        checkedAt = status.checkedRealtimeNanoseconds.map { RFC3339.text(realtimeNanoseconds: $0) }
        example = status.example
        heldBack = Dictionary(status.heldBack.map { ($0.key.rawValue, Integer64($0.value)) }) { $1 }
        lackingBytes = Integer64(status.lackingBytes)
        rule = status.rule
    }
}

extension RetentionStatus {
    /// The rule, and what it does not delete, in a line: `for 30 d: 2 shots due and held back (onlyCopy 2); …`.
    public var summary: String {
        guard checkedRealtimeNanoseconds != nil else { return "\(rule): not checked yet" }
        let lacks = lackingBytes > 0 ? ["its disk lacks \(Decimals.byteText(lackingBytes))"] : []
        return ([held] + lacks + [example].compactMap(\.self)).reduce("\(rule): ") { text, part in
            text.hasSuffix(": ") ? text + part : "\(text); \(part)"
        }
    }

    private var held: String {
        let count = heldBack.values.reduce(0, &+)
        guard count > 0 else { return "no shot is due" }
        let kinds = Obstacle.allCases.compactMap { kind in heldBack[kind].map { "\(kind.rawValue) \($0)" } }
        return "\(count) \(count == 1 ? "shot is" : "shots are") due and held back (\(kinds.joined(separator: ", ")))"
    }
}
