internal import ArgumentParser
internal import AuditLog
internal import RigDocuments

/// `capctl audit verify`.
struct AuditVerifyCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "verify", abstract: "Verify the chain of the audit log, and export its head.",
        discussion: """
            Every record is read and verified on this machine. The head names the newest record and, by its hash, all \
            before it. Keep it where nobody can change it together with the log, and give it to a later --head: only so is \
            found that newest records were removed, or the whole log was rewritten.

            The exit status is 0 if the log is intact and has the head, 3 if it is intact and its bound has removed the \
            record of the head, and otherwise 4.
            """)

    static let examples: [CommandExample] = [
        "capctl audit verify"
    ]

    @OptionGroup var source: AuditSourceOptions
    @OptionGroup var output: NamelessFormatOptions

    @Option(help: "A head that was exported before, to compare the log with.", transform: AuditHead.onCommandLine)
    var head: AuditHead?

    func perform(_ console: Console) async throws -> CommandStatus {
        let found = try await source.withReader { try await $0.verify(against: head) }
        let report = AuditVerificationReport(found: found)
        try output.show(report, on: console)
        return report.status
    }
}

extension AuditHead {
    fileprivate static func onCommandLine(_ text: String) throws -> AuditHead {
        guard let head = AuditHead(text) else {
            throw ValidationError(
                "'\(text)' is not a head of an audit log, or has a typing error; give it as `capctl audit verify` printed it"
            )
        }
        return head
    }
}

/// What a verification has found.
struct AuditVerificationReport: Report {
    var found: AuditVerification

    var status: CommandStatus {
        guard found.problemCount == 0 else { return .failed }
        return switch found.comparison {
        case nil, .matches: .complete
        case .tooOld: .partial
        case .cutBack, .rewritten: .failed
        }
    }

    var document: AuditVerificationDocument { AuditVerificationDocument(found) }

    func table(_ layout: TextLayout) -> String {
        (problems + [intact] + comparison + tail).map { $0 + "\n" }.joined()
    }

    private var problems: [String] {
        let hidden = found.problemCount - found.problems.count
        return found.problems.map { "damaged: \($0)" } + (hidden > 0 ? ["damaged: \(hidden) more places"] : [])
    }

    private var intact: String {
        let ranges = found.intact.map {
            $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
        }
        return ranges.isEmpty ? "intact: no records" : "intact: records \(ranges.joined(separator: ", "))"
    }

    private var comparison: [String] { found.comparison.map { ["compared with the head: \($0.sentence)"] } ?? [] }

    private var tail: [String] {
        let unfinished =
            found.unfinishedBytes > 0
            ? [
                "unfinished: \(found.unfinishedBytes) bytes at the end, of a record that is being written or that a crash cut short"
            ]
            : []
        return unfinished + (document.head.map { ["head: \($0)"] } ?? [])
    }
}

extension AuditVerification.Comparison {
    fileprivate var sentence: String {
        switch self {
        case .matches: "matches; its record and all before it are as they were"
        case .cutBack(let newest):
            "cut back; the newest records were removed, and the log ends with record \(newest), before that of the head"
        case .rewritten: "rewritten; the record of the head is another one, damaged or missing"
        case .tooOld(let oldest):
            "too old; the log is bounded and begins with record \(oldest), so nothing can be said; keep newer heads"
        }
    }
}
