internal import ArgumentParser
internal import CaptureModel
internal import RigDocuments
internal import RigWire

/// `capctl frames`.
struct FramesCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "frames", abstract: "Live pictures of the rig: streams, frame rates, data rates.",
        subcommands: [FramesInfoCommand.self, FramesRateCommand.self, FramesBandwidthCommand.self],
        defaultSubcommand: FramesInfoCommand.self)

    static let examples: [CommandExample] = [
        "capctl frames",
        "capctl frames hz --for 2s",
    ]
}

/// `capctl frames hz`.
struct FramesRateCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "hz", abstract: "Measure frames per second, losses and latency.",
        discussion:
            "Latency is the time from a frame's dequeue on its node to its arrival here; its bound is the bound of the clocks."
    )

    static let examples: [CommandExample] = [
        "capctl frames hz node1/cam1 --for 2s"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let streams = try await rig.withClient { try await frames.measure($0) }
        try output.show(FrameRateReport(streams: streams), on: console)
        FrameOptions.remark(on: streams, console)
        return FrameOptions.status(of: streams)
    }
}

/// `capctl frames bw`.
struct FramesBandwidthCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "bw", abstract: "Measure bytes per second and frame sizes.")

    static let examples: [CommandExample] = [
        "capctl frames bw --for 2s --kind half"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let streams = try await rig.withClient { try await frames.measure($0) }
        try output.show(FrameBandwidthReport(streams: streams), on: console)
        FrameOptions.remark(on: streams, console)
        return FrameOptions.status(of: streams)
    }
}

extension FrameOptions {
    /// Says once for each node why it cannot be reached.
    static func remark(on streams: [MeasuredStream], _ console: Console) {
        for problem in Set(streams.compactMap(\.problem)).sorted() { console.note("capctl: \(problem)\n") }
    }

    /// Failed if no stream has a frame, partial if some have none.
    static func status(of streams: [MeasuredStream]) -> CommandStatus {
        let silent = streams.count { $0.tally.count == 0 }
        return silent == 0 ? .complete : silent == streams.count ? .failed : .partial
    }
}

/// Rates, losses and latencies of streams.
struct FrameRateReport: Report {
    var streams: [MeasuredStream]

    /// `capctl frames hz --format json`; optional members are absent if nothing was measured.
    struct Item: Encodable {
        var device: String
        var kind: String
        var frames: Int
        var framesPerSecond: Double?
        var missed: Integer64
        var dropsBeforeOutput: Integer64
        var dropsSuperseded: Integer64
        var dropsUndecodable: Integer64
        var dropsOversized: Integer64
        var latencyP50Nanoseconds: Integer64?
        var latencyP99Nanoseconds: Integer64?
        var latencyBoundNanoseconds: Integer64?
    }

    var document: [String: [Item]] { ["streams": streams.map(Item.init)] }

    var names: [String]? { streams.deliveringNames }
    var failures: [String] { streams.failures }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("STREAM", .left, .end(12)), .init("FRAMES", .right), .init("HZ", .right), .init("MISSED", .right),
            .init("DROPPED", .right), .init("LATENCY P50", .right), .init("P99", .right, dropped: 1),
            .init("CLOCK", dropped: 2),
        ]
        return Table(columns: columns, rows: streams.map(row)).rendered(layout)
    }

    private func row(_ stream: MeasuredStream) -> [String] {
        let tally = stream.tally
        return [
            stream.topic.description, "\(tally.count)", tally.rate.map { Decimals.text($0, digits: 2) } ?? "-",
            "\(tally.missed)", "\(tally.drops.total)", Percentile.of(tally.latencies, 50)?.shortText ?? "-",
            Percentile.of(tally.latencies, 99)?.shortText ?? "-",
            tally.latencies.isEmpty ? "not known" : "± \(tally.latencyBound.shortText)",
        ]
    }
}

extension FrameRateReport.Item {
    init(_ stream: MeasuredStream) {
        let tally = stream.tally
        device = stream.topic.device.description
        kind = stream.topic.kind.rawValue
        frames = tally.count
        framesPerSecond = tally.rate
        missed = Integer64(tally.missed)
        dropsBeforeOutput = Integer64(tally.drops.beforeOutput)
        dropsSuperseded = Integer64(tally.drops.superseded)
        dropsUndecodable = Integer64(tally.drops.undecodable)
        dropsOversized = Integer64(tally.drops.oversized)
        latencyP50Nanoseconds = (Percentile.of(tally.latencies, 50)?.nanoseconds).map(Integer64.init)
        latencyP99Nanoseconds = (Percentile.of(tally.latencies, 99)?.nanoseconds).map(Integer64.init)
        latencyBoundNanoseconds = tally.latencies.isEmpty ? nil : Integer64(tally.latencyBound.nanoseconds)
    }
}
