internal import CaptureModel
internal import Foundation
internal import RigClient
internal import RigDocuments

/// The result of a demo's shots.
struct DemoReport: Report {
    var settings: DemoSettings
    var endpoints: CoordinatorAnnouncement
    var shots: [ShotReport]
    /// One for each shot.
    var stills: [StoredStills]

    init(settings: DemoSettings, endpoints: CoordinatorAnnouncement, documents: [LocatedShot]) {
        self.settings = settings
        self.endpoints = endpoints
        shots = documents.map(ShotReport.init)
        stills = shots.map { StoredStills(of: $0.shot, in: $0.folder) }
    }

    /// The worst status of all shots; partial if a still does not exist exactly once.
    var status: CommandStatus {
        let worst = shots.map { CommandStatus(of: $0.shot) }.reduce(CommandStatus.complete) { $0.worse($1) }
        return isExactlyOnce ? worst : worst.worse(CommandStatus.partial)
    }

    var isExactlyOnce: Bool { stills.allSatisfy(\.isExactlyOnce) }
    var stillCount: Int { stills.reduce(0) { $0 + $1.found.count } }
    var expectedCount: Int { shots.reduce(0) { $0 + $1.figures.stills.expected } }
    /// The files of all shots by sort, as in their manifests.
    var counts: [FileCount] { FileCount.sum(shots.flatMap(\.figures.files)) }
    /// The stored clips of all shots that have sound from beginning to end.
    var clipsWithSound: Int { shots.reduce(0) { $0 + $1.shot.captures.count(where: \.hasSound) } }
    var worstSkew: Duration? { shots.compactMap(\.figures.worstSkew).max { $0.magnitude < $1.magnitude } }
    var worstBound: Duration? { shots.compactMap(\.figures.worstBound).max() }
    var worstSpread: Duration? { shots.compactMap(\.figures.spread).max() }
    var dequeueToDurable: [Duration] { shots.compactMap(\.figures.dequeueToDurable) }
    var timeToDurable: [Duration] { shots.compactMap(\.figures.timeToDurable) }

    var document: DemoReportDocument { DemoReportDocument(self) }

    var names: [String]? { shots.map(\.shot.id.description) }
    var failures: [String] { shots.flatMap(\.failures) + (isExactlyOnce ? [] : [Self.disagreement]) }

    private static let disagreement = "files and manifests disagree; see `capctl shots verify`"

    func table(_ layout: TextLayout) -> String {
        (shots.count == 1 ? shots[0].table(layout) : list(layout)) + summary
    }

    private func list(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("SHOT", .left, .id), .init("STATUS"), .init("FILES", .right), .init("SPREAD", .right),
            .init("WORST SKEW", .right), .init("BOUND", dropped: 1), .init("DURABLE AFTER", .right),
            .init("FOLDER", .left, .start(20), dropped: 2),
        ]
        return Table(columns: columns, rows: shots.map(row)).rendered(layout)
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
        lines += counts.filter { $0.sort != .stills }.map { $0.text + (sound(of: $0) ?? "") }
        if !isExactlyOnce { lines.append(Self.disagreement) }
        lines += [
            percentiles("last frame dequeued to all durable", dequeueToDurable),
            percentiles("instant to all durable", timeToDurable),
        ].compactMap { $0 }
        lines.append("pictures: \(settings.library)")
        return lines.joined(separator: "\n") + "\n"
    }

    /// How many clips have sound; nil for other files, and for a rig without microphones.
    private func sound(of count: FileCount) -> String? {
        guard count.sort == .clips, count.stored > 0, settings.plan.microphoneCount > 0 else { return nil }
        return clipsWithSound == count.stored ? ", each with sound" : ", \(clipsWithSound) with sound throughout"
    }

    private func percentiles(_ title: String, _ values: [Duration]) -> String? {
        guard let median = Percentile.of(values, 50), let high = Percentile.of(values, 95) else { return nil }
        return "\(title): p50 \(median.shortText), p95 \(high.shortText)"
    }
}

extension Capture {
    /// Whether its clip is stored and has sound from beginning to end.
    var hasSound: Bool {
        guard resolved?.livePhoto?.hasSound == true, let clip else { return false }
        return clip.silences?.isEmpty != false && files.contains { $0.kind == .pairedVideo && $0.isStored }
    }
}

/// `capctl demo --format json`; optional members are absent if no capture has a value.
struct DemoReportDocument: Encodable {
    var cameras: Int
    /// The stored clips that have sound from beginning to end.
    var clipsWithSound: Int
    /// The coordinator's client endpoint; it answers only while the demo runs.
    var coordinator: String
    /// The files of all shots by sort, as in their manifests.
    var counts: [FileCount]
    var dequeueToDurable: Latency?
    /// Whether the stills on disk are those of the manifests, each once.
    var eachExactlyOnce: Bool
    var expectedStills: Int
    var feed: String
    var framesPerSecond: Int
    var height: Int
    var library: String
    var microphones: Int
    var nodes: Int
    var shots: [Item]
    var stills: Int
    var timeToDurable: Latency?
    var width: Int
    var worstBoundNanoseconds: Integer64?
    var worstSkewNanoseconds: Integer64?
    var worstSpreadNanoseconds: Integer64?

    /// Percentiles over the shots, by nearest rank.
    struct Latency: Encodable {
        var p50Nanoseconds: Integer64
        var p95Nanoseconds: Integer64

        init?(_ values: [Duration]) {
            guard let median = Percentile.of(values, 50), let high = Percentile.of(values, 95) else { return nil }
            (p50Nanoseconds, p95Nanoseconds) = (Integer64(median.nanoseconds), Integer64(high.nanoseconds))
        }
    }

    /// One shot.
    struct Item: Encodable {
        var dequeueToDurableNanoseconds: Integer64?
        var expected: Int
        var folder: String
        var id: ShotID
        var revision: Int
        var spreadNanoseconds: Integer64?
        var status: Shot.Status
        var stills: Int
        var time: String
        var timeToDurableNanoseconds: Integer64?
        var worstBoundNanoseconds: Integer64?
        var worstSkewNanoseconds: Integer64?
    }

    init(_ report: DemoReport) {
        let plan = report.settings.plan
        (cameras, microphones, nodes) = (plan.cameraCount, plan.microphoneCount, plan.nodes.count)
        clipsWithSound = report.clipsWithSound
        (width, height, framesPerSecond) = (plan.width, plan.height, plan.framesPerSecond)
        (coordinator, feed) = (report.endpoints.client, report.endpoints.feed)
        library = report.settings.library
        counts = report.counts
        (stills, expectedStills) = (report.stillCount, report.expectedCount)
        eachExactlyOnce = report.isExactlyOnce
        dequeueToDurable = Latency(report.dequeueToDurable)
        timeToDurable = Latency(report.timeToDurable)
        worstBoundNanoseconds = (report.worstBound?.nanoseconds).map(Integer64.init)
        worstSkewNanoseconds = (report.worstSkew?.nanoseconds).map(Integer64.init)
        worstSpreadNanoseconds = (report.worstSpread?.nanoseconds).map(Integer64.init)
        shots = zip(report.shots, report.stills).map(Item.init)
    }
}

extension DemoReportDocument.Item {
    init(_ report: ShotReport, _ stored: StoredStills) {
        let (shot, figures) = (report.shot, report.figures)
        (id, status, revision) = (shot.id, shot.status, shot.revision)
        (folder, expected, stills) = (report.folder, figures.stills.expected, stored.found.count)
        time = RFC3339.text(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
        spreadNanoseconds = (figures.spread?.nanoseconds).map(Integer64.init)
        worstBoundNanoseconds = (figures.worstBound?.nanoseconds).map(Integer64.init)
        worstSkewNanoseconds = (figures.worstSkew?.nanoseconds).map(Integer64.init)
        dequeueToDurableNanoseconds = (figures.dequeueToDurable?.nanoseconds).map(Integer64.init)
        timeToDurableNanoseconds = (figures.timeToDurable?.nanoseconds).map(Integer64.init)
    }
}

/// The value below which a share of all values is, by the nearest-rank method: always one of the values.
enum Percentile {
    /// - Parameter percent: 1 to 100.
    /// - Returns: nil without values.
    static func of(_ values: [Duration], _ percent: Int) -> Duration? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let rank = (percent * sorted.count + 99) / 100
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}

/// The stills of a shot on disk, compared with its manifest.
struct StoredStills: Equatable {
    /// Files in the shot's folder and its subfolders that have the name of a still.
    var found: [String]
    /// Paths of the stills that the manifest calls stored.
    var announced: [String]

    /// Whether every announced still exists once, and no other.
    var isExactlyOnce: Bool {
        Set(announced).count == announced.count && found.sorted() == announced.sorted()
    }

    /// - Parameter folder: The shot's folder, on this machine.
    init(of shot: Shot, in folder: String) {
        announced = shot.captures.flatMap(\.files).filter { $0.isStored && $0.kind.isStill }.map { $0.path ?? "" }
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let names = Set(AssetKind.stills.map(\.fileName))
        found = all.filter { path in path.split(separator: "/").last.map { names.contains(String($0)) } == true }
    }
}
