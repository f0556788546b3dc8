internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl sync align`.
struct SyncAlignCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "align", abstract: "Have cameras expose together, and keep them together.",
        discussion: """
            Moves the exposures of each camera to the instants of the rig's time that are multiples of its frame interval. From then on its \
            agent corrects them by a little at a time, until --off or the agent's end. A camera that only a restart moves is restarted within \
            --restarts. Cameras that cannot be moved are reported with their phase.
            """)

    static let examples: [CommandExample] = [
        "capctl sync align --all",
        "capctl sync align --all --within 2ms --restarts 1min",
        "capctl sync align --all --off",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    @Option(
        help: ArgumentHelp(
            "How far from its place a camera counts as aligned, 1us to 1s (default: 100us).", valueName: "duration"),
        transform: { try SyncAlignCommand.duration($0, in: AlignmentRequest.toleranceLimits, "1us to 1s") })
    var within: Duration?

    @Option(
        help: ArgumentHelp(
            "For how long cameras that only a restart moves may be restarted, up to 9min (default: not at all).",
            valueName: "duration"),
        transform: { try SyncAlignCommand.duration($0, in: AlignmentRequest.budgetLimits, "up to 9min") })
    var restarts: Duration?

    @Flag(help: "Let the cameras run free.")
    var off = false

    func validate() throws {
        guard !off || (within == nil && restarts == nil) else {
            throw ValidationError("--within and --restarts say how to align; omit them with --off.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        var request = AlignmentRequest()
        request.tolerance = within ?? request.tolerance
        request.restartBudget = restarts ?? request.restartBudget
        let wish = off ? nil : request
        let (outcomes, leftOut) = try await sessions.outcomes(rig) { client, device, timeout throws(RigClientError) in
            try await client.align(device, wish, timeout: timeout)
        }
        let report = AlignmentReport(outcomes: outcomes, leftOut: leftOut, isOff: off)
        try output.show(report, on: console)
        return report.status
    }

    private static func duration(_ text: String, in range: ClosedRange<Duration>, _ words: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), range.contains(duration) else {
            throw ValidationError("write a duration with its unit, \(words)")
        }
        return duration
    }
}

/// How well cameras are aligned after `capctl sync align`.
struct AlignmentReport: Report {
    var outcomes: [SessionOutcome]
    var leftOut: LeftOutDevices?
    /// Whether the cameras run free.
    var isOff: Bool

    var document: SessionsDocument {
        SessionsDocument(outcomes.map { SessionDocument($0.device, $0.result) }, leftOut: leftOut)
    }

    /// The cameras that are as requested.
    var names: [String]? { outcomes.filter(isDone).map(\.device.description) }

    var failures: [String] {
        outcomes.filter { !isDone($0) }.map { outcome in
            "\(outcome.device): \(outcome.failure?.description ?? alignment(of: outcome)?.reason ?? "not aligned yet")"
        }
    }

    /// Complete if all cameras are as requested, failed if none is.
    var status: CommandStatus {
        let done = outcomes.count(where: isDone)
        if done == outcomes.count { return .complete }
        if done == 0, let first = outcomes.compactMap(\.failure).first { return CommandStatus(of: first) }
        return done == 0 ? .failed : .partial
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("ALIGNMENT"), .init("OFF BY", dropped: 1),
            .init("REASON", .left, .wrap(20)),
        ]
        return Table(columns: columns, rows: outcomes.map(row)).rendered(layout) + LeftOutDevices.remark(leftOut)
    }

    private func row(_ outcome: SessionOutcome) -> [String] {
        let device = outcome.device.description
        if let failure = outcome.failure { return [device, "refused", "-", failure.description] }
        guard let alignment = alignment(of: outcome) else { return [device, "free", "-", ""] }
        return [device, alignment.state.rawValue, alignment.latenessText, alignment.reason ?? ""]
    }

    private func alignment(of outcome: SessionOutcome) -> CameraAlignment? {
        (try? outcome.result.get())?.condition.session?.alignment
    }

    private func isDone(_ outcome: SessionOutcome) -> Bool {
        guard outcome.failure == nil else { return false }
        let alignment = alignment(of: outcome)
        return isOff ? alignment == nil : alignment?.state == .aligned
    }
}
