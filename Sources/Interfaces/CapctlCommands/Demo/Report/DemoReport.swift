internal import CaptureModel
internal import RigClient

/// What a demo's shots came to.
struct DemoReport: Report {
    var settings: DemoSettings
    var endpoints: CoordinatorAnnouncement
    var shots: [ShotReport]
    /// One per shot.
    var stills: [StoredStills]

    init(settings: DemoSettings, endpoints: CoordinatorAnnouncement, documents: [LocatedShot]) {
        self.settings = settings
        self.endpoints = endpoints
        shots = documents.map(ShotReport.init)
        stills = shots.map { StoredStills(of: $0.shot, in: $0.folder) }
    }

    /// The worst of all shots; a still that is not there exactly once makes it partial.
    var status: CommandStatus {
        let worst = shots.map { CommandStatus(of: $0.shot.status) }.reduce(CommandStatus.complete) { $0.worse($1) }
        return isExactlyOnce ? worst : worst.worse(CommandStatus.partial)
    }

    var isExactlyOnce: Bool { stills.allSatisfy(\.isExactlyOnce) }
    var stillCount: Int { stills.reduce(0) { $0 + $1.found.count } }
    var expectedCount: Int { shots.reduce(0) { $0 + $1.figures.stills.expected } }
    /// The files of all shots by sort, as their manifests have them.
    var counts: [FileCount] { FileCount.sum(shots.flatMap(\.figures.files)) }
    var worstSkew: Duration? { shots.compactMap(\.figures.worstSkew).max { $0.magnitude < $1.magnitude } }
    var worstBound: Duration? { shots.compactMap(\.figures.worstBound).max() }
    var worstSpread: Duration? { shots.compactMap(\.figures.spread).max() }
    var dequeueToDurable: [Duration] { shots.compactMap(\.figures.dequeueToDurable) }
    var timeToDurable: [Duration] { shots.compactMap(\.figures.timeToDurable) }

    var document: DemoReportDocument { DemoReportDocument(self) }

    var table: String { shots.count == 1 ? shots[0].table + summary : list + summary }

    private var list: String {
        let columns: [Table.Column] = [
            .init("SHOT"), .init("STATUS"), .init("FILES", .right), .init("SPREAD", .right),
            .init("WORST SKEW", .right), .init("BOUND"), .init("DURABLE AFTER", .right), .init("FOLDER"),
        ]
        return Table(columns: columns, rows: shots.map(row)).rendered()
    }

    private func row(_ shot: ShotReport) -> [String] {
        let figures = shot.figures
        let (stored, expected) = figures.files.reduce((0, 0)) { ($0.0 + $1.stored, $0.1 + $1.expected) }
        return [
            shot.shot.id.description, shot.shot.status.rawValue, "\(stored)/\(expected)",
            figures.spread?.shortText ?? "-", figures.worstSkew?.signedText ?? "-",
            figures.worstBound.map { "± \($0.shortText)" } ?? "-", figures.timeToDurable?.shortText ?? "-", shot.folder,
        ]
    }

    private var summary: String {
        var lines: [String] = []
        if expectedCount > 0 || stillCount > 0 {
            lines.append("\(stillCount) of \(expectedCount) stills" + (isExactlyOnce ? ", each exactly once" : ""))
        }
        // Stills are counted on the disk, above.
        lines += counts.filter { $0.sort != .stills }.map(\.text)
        if !isExactlyOnce { lines.append("files and manifests disagree; see `capctl shots verify`") }
        lines += [
            percentiles("last frame dequeued to all durable", dequeueToDurable),
            percentiles("instant to all durable", timeToDurable),
        ].compactMap { $0 }
        lines.append("pictures: \(settings.library)")
        return lines.joined(separator: "\n") + "\n"
    }

    private func percentiles(_ title: String, _ values: [Duration]) -> String? {
        guard let median = Percentile.of(values, 50), let high = Percentile.of(values, 95) else { return nil }
        return "\(title): p50 \(median.shortText), p95 \(high.shortText)"
    }
}
