internal import CaptureModel
internal import RigClient
internal import ShotDocuments

/// A take with what became of each camera's movie.
struct TakeReport: Report {
    var shot: Shot
    /// The take's folder, absolute on the coordinator's machine.
    var folder: String
    var annotation: ShotAnnotation
    /// What was selected and is not in the take, since its node does not configure it any more.
    var leftOut: LeftOutDevices?
    private let figures: TakeFigures

    init(_ document: LocatedShot) {
        shot = document.shot
        folder = document.library + "/" + document.folder
        annotation = document.annotation
        leftOut = document.leftOut
        figures = TakeFigures(document.shot)
    }

    /// How a beginning went: complete where every camera records.
    static func beginning(of shot: Shot) -> CommandStatus {
        let recording = shot.captures.count { $0.phase != .missed && $0.phase != .failed }
        return recording == shot.captures.count ? .complete : recording == 0 ? .failed : .partial
    }

    /// `capctl record start`, `record stop` and `takes show` with `--format json`.
    struct Document: Encodable {
        var cameras: [Camera]
        var folder: String
        var note: String?
        var notConfigured: [DeviceID]?
        /// The manifest, as `take.json` has it, without its dates.
        var take: ShotDocument
        var time: String
        var title: String?

        struct Camera: Encodable {
            var device: DeviceID
            var frames: Int?
            /// Why it has fewer frames than others.
            var frameReason: String?
            var outcome: Capture.Phase
            var problem: CaptureProblem?
        }
    }

    var document: Document {
        Document(
            cameras: shot.captures.map { capture in
                Document.Camera(
                    device: capture.device.id, frames: capture.movie?.frameCount,
                    frameReason: figures.reason(capture), outcome: capture.phase, problem: capture.problem)
            },
            folder: folder, note: annotation.note.isEmpty ? nil : annotation.note,
            notConfigured: leftOut?.devices, take: ShotDocument(shot),
            time: RFC3339.text(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time)),
            title: annotation.title.isEmpty ? nil : annotation.title)
    }

    var table: String {
        let columns: [Table.Column] = [
            .init("CAMERA"), .init("OUTCOME"), .init("FRAMES", .right), .init("LENGTH", .right), .init("SKEW", .right),
            .init("BOUND"), .init("FILE"), .init("REASON"),
        ]
        return Table(columns: columns, rows: shot.captures.map(row)).rendered() + summary
    }

    private func row(_ capture: Capture) -> [String] {
        var row = [capture.device.id.description, outcome(capture)]
        row.append(capture.movie.map { "\($0.frameCount)" } ?? "-")
        row.append(capture.movie.map { Duration.nanoseconds($0.durationNanoseconds).shortText } ?? "-")
        row.append(capture.timing.map { Duration.nanoseconds($0.skewNanoseconds).signedText } ?? "-")
        row.append(capture.timing.map { "± \($0.midExposure.bound.shortText)" } ?? "-")
        row.append(path(capture))
        row.append(reason(capture))
        return row
    }

    /// Of a movie in several files the first that is there, and how many more.
    private func path(_ capture: Capture) -> String {
        let paths = capture.files.filter(\.kind.isMovie).compactMap(\.path)
        guard let first = paths.first else { return "-" }
        return paths.count == 1 ? first : "\(first) +\(paths.count - 1)"
    }

    private func outcome(_ capture: Capture) -> String {
        guard capture.phase == .captured else { return capture.phase.rawValue }
        return shot.take?.stopTime == nil && capture.movie == nil ? "recording" : "collecting"
    }

    private func reason(_ capture: Capture) -> String {
        let why = figures.reason(capture) ?? capture.problem?.message
        return [why, capture.resolved?.movie?.note].compactMap(\.self).joined(separator: "; ")
    }

    private var summary: String {
        let movies = shot.captures.flatMap(\.files).filter(\.kind.isMovie)
        let stored = movies.count(where: \.isStored)
        var lines = ["\(shot.status.rawValue): \(stored) of \(movies.count) movies", "take \(shot.id)", folder]
        for mark in shot.take?.marks ?? [] {
            lines.append("mark \((mark.time - shot.time).signedText): \(Table.printable(mark.text))")
        }
        if !annotation.title.isEmpty { lines.append("title: \(Table.printable(annotation.title))") }
        lines += annotation.note.split(separator: "\n").map { "note: \(Table.printable(String($0)))" }
        if shot.take?.stopTime == nil, shot.status == .open {
            lines.append("end it with `capctl record stop \(shot.id)`")
        }
        return lines.joined(separator: "\n") + "\n" + LeftOutDevices.remark(leftOut)
    }
}
