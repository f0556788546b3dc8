internal import ArgumentParser
internal import CaptureModel
internal import RigWire

/// `capctl frames`.
struct FramesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "Live pictures of the rig: streams, frame rates, data rates.",
        subcommands: [FramesInfoCommand.self, FramesRateCommand.self, FramesBandwidthCommand.self],
        defaultSubcommand: FramesInfoCommand.self)
}

/// `capctl frames hz`.
struct FramesRateCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "hz", abstract: "Measure frames per second, losses and latency.",
        discussion:
            "Latency is the time from a frame's dequeue on its node to its arrival here; its bound is the bound of the clocks."
    )

    @OptionGroup var rig: RigOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let streams = try await rig.withClient { try await frames.measure($0) }
        console.write(try FrameRateReport(streams: streams).rendered(as: output.format))
        return FrameOptions.status(of: streams)
    }
}

/// `capctl frames bw`.
struct FramesBandwidthCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "bw", abstract: "Measure bytes per second and frame sizes.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let streams = try await rig.withClient { try await frames.measure($0) }
        console.write(try FrameBandwidthReport(streams: streams).rendered(as: output.format))
        return FrameOptions.status(of: streams)
    }
}

extension FrameOptions {
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
        var missed: UInt64
        var dropsBeforeOutput: UInt64
        var dropsSuperseded: UInt64
        var dropsUndecodable: UInt64
        var dropsOversized: UInt64
        var latencyP50Nanoseconds: Int64?
        var latencyP99Nanoseconds: Int64?
        var latencyBoundNanoseconds: Int64?
    }

    var document: [String: [Item]] { ["streams": streams.map(Item.init)] }

    var table: String {
        let columns: [Table.Column] = [
            .init("STREAM"), .init("FRAMES", .right), .init("HZ", .right), .init("MISSED HERE", .right),
            .init("DROPPED THERE", .right), .init("LATENCY P50", .right), .init("P99", .right), .init("CLOCK"),
        ]
        return Table(columns: columns, rows: streams.map(row)).rendered()
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
        missed = tally.missed
        dropsBeforeOutput = tally.drops.beforeOutput
        dropsSuperseded = tally.drops.superseded
        dropsUndecodable = tally.drops.undecodable
        dropsOversized = tally.drops.oversized
        latencyP50Nanoseconds = Percentile.of(tally.latencies, 50)?.nanoseconds
        latencyP99Nanoseconds = Percentile.of(tally.latencies, 99)?.nanoseconds
        latencyBoundNanoseconds = tally.latencies.isEmpty ? nil : tally.latencyBound.nanoseconds
    }
}
