internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import SystemClock

/// `capctl spool list`.
struct SpoolListCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "list", abstract: "List the captures in the nodes' spools, oldest shot first.",
        discussion: "The exit status is 3 if the spool of a node cannot be listed, 4 if none can.")

    static let examples: [CommandExample] = [
        "capctl spool list --node node1"
    ]

    @OptionGroup var options: SpoolOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let content = try await options.withSource(console) { try await $0.list() }
        for obstacle in content.obstacles { console.note("capctl: \(obstacle)\n") }
        let now = SystemTimeSource().wallClockPair().realtimeNanoseconds
        try output.show(SpoolReport(captures: content.captures, now: now), on: console)
        guard !content.obstacles.isEmpty else { return .complete }
        return content.captures.isEmpty ? .failed : .partial
    }
}

/// Captures in spools.
struct SpoolReport: Report {
    var captures: [SpooledCapture]
    /// The current time, nanoseconds since 1970.
    var now: Int64

    var document: SpoolDocument { SpoolDocument(captures) }
    /// The shots of the captures, each once.
    var names: [String]? { Set(captures.map(\.key.shot)).sorted().map(\.description) }
    var emptiness: String? { captures.isEmpty ? "no captures are in the spools that were asked" : nil }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("DEVICE", .left, .end(8)), .init("SHOT", .left, .id), .init("STATE"), .init("FILES", .right),
            .init("SIZE", .right),
            .init("AGE", .right),
        ]
        let rows = captures.map { capture in
            [
                capture.key.device.description, capture.key.shot.description, capture.state.rawValue,
                "\(capture.files)", Decimals.byteText(capture.byteCount), age(capture),
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }

    /// The age since the shot was requested. The clocks of two machines may differ, so it is at least zero.
    private func age(_ capture: SpooledCapture) -> String {
        let minutes = max(0, (now &- capture.requestedRealtimeNanoseconds) / 60_000_000_000)
        if minutes < 60 { return "\(minutes) min" }
        return minutes < 48 * 60 ? "\(minutes / 60) h" : "\(minutes / (24 * 60)) d"
    }
}
