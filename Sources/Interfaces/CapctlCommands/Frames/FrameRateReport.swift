internal import CaptureModel
internal import RigWire

/// Rates, losses and latencies of streams.
struct FrameRateReport: Report {
    var streams: [MeasuredStream]

    /// `capctl frames hz --format json`; optional members are absent where nothing was measured.
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
