internal import CaptureModel
internal import RigClient
internal import ShotDocuments

/// A take with the outcome of each camera's movie.
struct TakeReport: Report {
    var shot: Shot
    /// The take's folder, absolute on the coordinator's machine.
    var folder: String
    var annotation: ShotAnnotation
    /// Devices that were selected and are not in the take, since their nodes do not configure them.
    var leftOut: LeftOutDevices?
    private let figures: TakeFigures

    init(_ document: LocatedShot) {
        shot = document.shot
        folder = document.library + "/" + document.folder
        annotation = document.annotation
        leftOut = document.leftOut
        figures = TakeFigures(document.shot)
    }

    /// The status of a beginning: complete if every camera records.
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
        /// The manifest, as in `take.json`, without its dates.
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

    /// The path of the movie. For a movie in several files, the first existing file and the number of further ones.
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

/// Why movies of a take have different numbers of frames, from its manifest alone.
struct TakeFigures: Equatable {
    /// The largest number of frames of a movie.
    private let most: Int
    private let mostInterval: Duration?

    init(_ shot: Shot) {
        let longest = shot.captures.filter { $0.movie != nil }.max {
            ($0.movie?.frameCount ?? 0) < ($1.movie?.frameCount ?? 0)
        }
        most = longest?.movie?.frameCount ?? 0
        mostInterval = longest?.resolved?.streamFormat.frameInterval
    }

    /// Why a camera's movie has fewer frames than the longest one; nil if it has as many, or there is no movie.
    func reason(_ capture: Capture) -> String? {
        guard let movie = capture.movie, movie.frameCount < most else { return capture.movie?.note }
        var reasons = [movie.problem?.message, movie.note].compactMap(\.self)
        let lacking = most &- movie.frameCount
        if let rate = rateReason(capture) { reasons.append(rate) }
        if let beginning = beginningReason(capture) { reasons.append(beginning) }
        if movie.missingFrames > movie.droppedFrames {
            reasons.append("the camera did not deliver \(movie.missingFrames &- movie.droppedFrames) frames")
        }
        if movie.droppedFrames > 0 { reasons.append("the disk did not keep up with \(movie.droppedFrames) frames") }
        if reasons.isEmpty || lacking == movie.missingFrames &+ 1 {
            reasons.append(
                lacking &- movie.missingFrames <= 1
                    ? "one frame fewer fits between its beginning and its end"
                    : "its frames arrived more slowly than announced")
        }
        return reasons.joined(separator: "; ")
    }

    /// A camera that loses its frames of T begins with the next one.
    private func beginningReason(_ capture: Capture) -> String? {
        guard let skew = capture.timing.map({ Duration.nanoseconds($0.skewNanoseconds) }),
            let interval = capture.resolved?.streamFormat.frameInterval, skew > interval * 2
        else { return nil }
        return "its first frame is \(skew.shortText) after T"
    }

    private func rateReason(_ capture: Capture) -> String? {
        guard let interval = capture.resolved?.streamFormat.frameInterval, let mostInterval, interval > .zero,
            (interval - mostInterval).magnitude * 100 > mostInterval
        else { return nil }
        return "it records \(Decimals.text(Duration.seconds(1) / interval, digits: 1)) frames per second"
    }
}
