internal import CaptureModel
internal import RigClient
internal import RigDocuments

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

    var document: TakeReportDocument {
        TakeReportDocument(shot, folder: folder, annotation: annotation, leftOut: leftOut)
    }

    /// The take exists whatever its cameras record.
    var names: [String]? { [shot.id.description] }
    var failures: [String] {
        shot.captures.filter { capture in
            capture.phase == .missed || capture.phase == .failed || capture.files.contains { $0.outcome == .failed }
        }.map { capture in
            let reason = reason(capture)
            return "\(capture.device.id): \(outcome(capture))\(reason.isEmpty ? "" : ": \(reason)")"
        }
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("OUTCOME"), .init("FRAMES", .right), .init("LENGTH", .right),
            .init("SKEW", .right, dropped: 2), .init("BOUND", dropped: 1), .init("DRIFT", .right, dropped: 4),
            .init("FILE", .left, .start(14), dropped: 3), .init("REASON", .left, .wrap(20)),
        ]
        return Table(columns: columns, rows: shot.captures.map(row)).rendered(layout) + summary
    }

    private func row(_ capture: Capture) -> [String] {
        var row = [capture.device.id.description, outcome(capture)]
        row.append(capture.movie.map { "\($0.frameCount)" } ?? "-")
        row.append(capture.movie.map { Duration.nanoseconds($0.durationNanoseconds).shortText } ?? "-")
        row.append(capture.timing.map { Duration.nanoseconds($0.skewNanoseconds).signedText } ?? "-")
        row.append(capture.timing.map { "± \($0.midExposure.bound.shortText)" } ?? "-")
        row.append(capture.drift?.text ?? "-")
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
        let wrong = capture.claimProblem?.message
        let reasons = [why, wrong == why ? nil : wrong, capture.resolved?.movie?.note] + capture.unverifiedNotes
        return reasons.compactMap(\.self).joined(separator: "; ")
    }

    private var summary: String {
        let movies = shot.captures.flatMap(\.files).filter(\.kind.isMovie)
        let stored = movies.count(where: \.isStored)
        var lines = ["\(shot.status.rawValue): \(stored) of \(movies.count) movies", "take \(shot.id)", folder]
        if let drift = TakeDrift(of: shot.captures) {
            lines.append(
                "drift: \(drift.behind) fell \(drift.apart.shortText) ± \(drift.bound.shortText) behind \(drift.ahead)")
        }
        for mark in shot.take?.marks ?? [] {
            lines.append("mark \((mark.time - shot.time).signedText): \(Table.printable(mark.text))")
        }
        if !annotation.title.isEmpty { lines.append("title: \(Table.printable(annotation.title))") }
        lines += annotation.note.split(separator: "\n").map { "note: \(Table.printable(String($0)))" }
        if !annotation.rejected.isEmpty {
            lines.append("rejected: \(annotation.rejected.map(\.description).joined(separator: ", "))")
        }
        if shot.take?.stopTime == nil, shot.status == .open {
            lines.append("end it with `capctl record stop \(shot.id)`")
        }
        return lines.joined(separator: "\n") + "\n" + shot.leftOutRemarks + LeftOutDevices.remark(leftOut)
    }
}

extension FrameDrift {
    fileprivate var text: String {
        let sign = partsPerMillion < 0 ? "-" : "+"
        let drift = Decimals.text(partsPerMillion.magnitude, digits: 1)
        return "\(sign)\(drift) ± \(Decimals.text(boundPartsPerMillion, digits: 1)) ppm"
    }
}
