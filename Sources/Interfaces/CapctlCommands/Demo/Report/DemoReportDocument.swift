internal import CaptureModel

/// `capctl demo --format json`; optional members are absent where no capture says.
struct DemoReportDocument: Encodable {
    var cameras: Int
    /// The coordinator's client endpoint; it answers only while the demo runs.
    var coordinator: String
    /// The files of all shots by sort, as their manifests have them.
    var counts: [FileCount]
    var dequeueToDurable: Latency?
    /// Whether the stills on disk are those the manifests announce, each once.
    var eachExactlyOnce: Bool
    var expectedStills: Int
    var feed: String
    var framesPerSecond: Int
    var height: Int
    var library: String
    var nodes: Int
    var shots: [Item]
    var stills: Int
    var timeToDurable: Latency?
    var width: Int
    var worstBoundNanoseconds: Int64?
    var worstSkewNanoseconds: Int64?
    var worstSpreadNanoseconds: Int64?

    /// Over the shots, by nearest rank.
    struct Latency: Encodable {
        var p50Nanoseconds: Int64
        var p95Nanoseconds: Int64

        init?(_ values: [Duration]) {
            guard let median = Percentile.of(values, 50), let high = Percentile.of(values, 95) else { return nil }
            (p50Nanoseconds, p95Nanoseconds) = (median.nanoseconds, high.nanoseconds)
        }
    }

    /// One shot.
    struct Item: Encodable {
        var dequeueToDurableNanoseconds: Int64?
        var expected: Int
        var folder: String
        var id: ShotID
        var revision: Int
        var spreadNanoseconds: Int64?
        var status: Shot.Status
        var stills: Int
        var time: String
        var timeToDurableNanoseconds: Int64?
        var worstBoundNanoseconds: Int64?
        var worstSkewNanoseconds: Int64?
    }

    init(_ report: DemoReport) {
        let plan = report.settings.plan
        (cameras, nodes) = (plan.cameraCount, plan.nodes.count)
        (width, height, framesPerSecond) = (plan.width, plan.height, plan.framesPerSecond)
        (coordinator, feed) = (report.endpoints.client, report.endpoints.feed)
        library = report.settings.library
        counts = report.counts
        (stills, expectedStills) = (report.stillCount, report.expectedCount)
        eachExactlyOnce = report.isExactlyOnce
        dequeueToDurable = Latency(report.dequeueToDurable)
        timeToDurable = Latency(report.timeToDurable)
        worstBoundNanoseconds = report.worstBound?.nanoseconds
        worstSkewNanoseconds = report.worstSkew?.nanoseconds
        worstSpreadNanoseconds = report.worstSpread?.nanoseconds
        shots = zip(report.shots, report.stills).map(Item.init)
    }
}

extension DemoReportDocument.Item {
    init(_ report: ShotReport, _ stored: StoredStills) {
        let (shot, figures) = (report.shot, report.figures)
        (id, status, revision) = (shot.id, shot.status, shot.revision)
        (folder, expected, stills) = (report.folder, figures.stills.expected, stored.found.count)
        time = RFC3339.text(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
        spreadNanoseconds = figures.spread?.nanoseconds
        worstBoundNanoseconds = figures.worstBound?.nanoseconds
        worstSkewNanoseconds = figures.worstSkew?.nanoseconds
        dequeueToDurableNanoseconds = figures.dequeueToDurable?.nanoseconds
        timeToDurableNanoseconds = figures.timeToDurable?.nanoseconds
    }
}
