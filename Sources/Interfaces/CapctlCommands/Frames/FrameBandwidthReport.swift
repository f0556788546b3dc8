internal import CaptureModel
internal import RigWire

/// Bytes of streams.
struct FrameBandwidthReport: Report {
    var streams: [MeasuredStream]

    /// `capctl frames bw --format json`; optional members are absent where nothing was measured.
    struct Item: Encodable {
        var device: String
        var kind: String
        var frames: Int
        var byteCount: Int
        var bytesPerFrame: Int?
        var bytesPerSecond: Double?
        var width: Int?
        var height: Int?
    }

    var document: [String: [Item]] { ["streams": streams.map(Item.init)] }

    var table: String {
        let columns: [Table.Column] = [
            .init("STREAM"), .init("FRAMES", .right), .init("SIZE", .right), .init("A FRAME", .right),
            .init("A SECOND", .right),
        ]
        return Table(columns: columns, rows: streams.map(row)).rendered()
    }

    private func row(_ stream: MeasuredStream) -> [String] {
        let tally = stream.tally
        return [
            stream.topic.description, "\(tally.count)", tally.newest.map { "\($0.width)x\($0.height)" } ?? "-",
            tally.count > 0 ? Decimals.byteText(Int64(tally.byteCount / tally.count)) : "-",
            tally.bytesPerSecond.map { Decimals.byteText(Int64($0)) } ?? "-",
        ]
    }
}

extension FrameBandwidthReport.Item {
    init(_ stream: MeasuredStream) {
        let tally = stream.tally
        device = stream.topic.device.description
        kind = stream.topic.kind.rawValue
        frames = tally.count
        byteCount = tally.byteCount
        bytesPerFrame = tally.count > 0 ? tally.byteCount / tally.count : nil
        bytesPerSecond = tally.bytesPerSecond
        width = tally.newest?.width
        height = tally.newest?.height
    }
}
