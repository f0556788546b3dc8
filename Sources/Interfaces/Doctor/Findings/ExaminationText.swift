internal import CaptureModel

extension Examination {
    /// The text for people, with a final line feed, in lines of at most 80 columns unless a word is longer.
    public var text: String {
        guard !findings.isEmpty else { return "nothing found: \(Self.counted(checks, "check"))\n" }
        return findings.map(Self.paragraph).joined() + summary + "\n"
    }

    /// One line: how much was found.
    public var summary: String {
        let parts = [(count(.problem), "problem"), (count(.warning), "warning"), (checks, "check")]
        return parts.filter { $0.0 > 0 }.map { Self.counted($0.0, $0.1) }.joined(separator: ", ")
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func paragraph(_ finding: Finding) -> String {
        lines("\(finding.severity.rawValue)  ", "\(finding.subject): \(finding.reason)")
            + lines("    fix: ", finding.remedy)
    }

    private static let width = 80
    /// The longest severity, and two spaces.
    private static let indent = 9

    /// Text in lines, the first behind a title. Words from peers cannot act on a terminal.
    private static func lines(_ title: String, _ text: String) -> String {
        var (lines, line) = ([String](), title)
        var isEmpty = true
        for word in text.printable(replacement: " ").split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (String(repeating: " ", count: indent), true)
            }
            line += isEmpty ? word : " " + word
            isEmpty = false
        }
        return (lines + [line]).map { $0 + "\n" }.joined()
    }
}

/// The document of `doctor --format json`.
public struct ExaminationDocument: Encodable, Sendable {
    /// How many checks had what they needed to tell.
    var checks: Int
    /// Problems first.
    var findings: [Finding]

    public init(_ examination: Examination) {
        checks = examination.checks
        findings = examination.findings
    }
}
