internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import SystemClock

/// `capctl spool list`.
struct SpoolListCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the captures in the nodes' spools, oldest shot first.",
        discussion: "The exit status is 3 if the spool of a node cannot be listed, 4 if none can.")

    @OptionGroup var options: SpoolOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let content = try await options.withSource(console) { try await $0.list() }
        for obstacle in content.obstacles { console.note("capctl: \(obstacle)\n") }
        let now = SystemTimeSource().wallClockPair().realtimeNanoseconds
        console.write(try SpoolReport(captures: content.captures, now: now).rendered(as: output.format))
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

    var table: String {
        let columns: [Table.Column] = [
            .init("DEVICE"), .init("SHOT"), .init("STATE"), .init("FILES", .right), .init("SIZE", .right),
            .init("AGE", .right),
        ]
        let rows = captures.map { capture in
            [
                capture.key.device.description, capture.key.shot.description, capture.state.rawValue,
                "\(capture.files)", Decimals.byteText(capture.byteCount), age(capture),
            ]
        }
        return Table(columns: columns, rows: rows).rendered()
    }

    /// The age since the shot was requested. The clocks of two machines may differ, so it is at least zero.
    private func age(_ capture: SpooledCapture) -> String {
        let minutes = max(0, (now &- capture.requestedRealtimeNanoseconds) / 60_000_000_000)
        if minutes < 60 { return "\(minutes) min" }
        return minutes < 48 * 60 ? "\(minutes / 60) h" : "\(minutes / (24 * 60)) d"
    }
}
