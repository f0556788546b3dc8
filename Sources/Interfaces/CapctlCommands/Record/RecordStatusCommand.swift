internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl record status`.
struct RecordStatusCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "status", abstract: "Show takes under way, and what each camera has recorded.")

    static let examples: [CommandExample] = [
        "capctl record status"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            RecordStatusReport(
                takes: TakeProgress.all(try await client.status(), devices: try await client.devices()))
        }
        try output.show(report, on: console)
        return .complete
    }
}

/// Takes under way.
struct RecordStatusReport: Report {
    var takes: [TakeProgress]

    var document: RecordStatusDocument { RecordStatusDocument(takes) }

    var names: [String]? { takes.map(\.take.id.description) }
    var emptiness: String? {
        takes.isEmpty ? "nothing is being recorded; `capctl record start --all` begins a take" : nil
    }

    func table(_ layout: TextLayout) -> String {
        takes.map { text($0, layout) }.joined(separator: "\n")
    }

    private func text(_ progress: TakeProgress, _ layout: TextLayout) -> String {
        let take = progress.take
        let isStopped = take.stopTime != nil
        let state =
            isStopped ? "is stopped, and its movies are being collected" : "records for \(progress.elapsed.shortText)"
        let captures = take.captures
        let phases: [(String, Int)] = [
            (isStopped ? "to collect" : "recording", captures.captured), ("done", captures.done),
            ("partial", captures.partial), ("missed", captures.missed), ("failed", captures.failed),
        ]
        let counts = phases.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("FILE", .right), .init("FRAMES", .right), .init("LENGTH", .right),
            .init("BYTES", .right, dropped: 1),
        ]
        let rows = progress.recordings.map { recording -> [String] in
            let recorded = recording.progress
            let length = Duration.nanoseconds(recorded.durationNanoseconds).shortText
            return [
                recording.device.description, "\(recorded.segmentNumber)", "\(recorded.frameCount)", length,
                "\(recorded.byteCount)",
            ]
        }
        let sizes = "\(captures.expected.counted("camera")), \(counts), \(take.marks.counted("mark"))"
        let line = "take \(take.id) \(state): \(sizes)\n"
        return rows.isEmpty ? line : line + Table(columns: columns, rows: rows).rendered(layout)
    }
}
