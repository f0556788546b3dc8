internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// A shot with its outcomes.
struct ShotReport: Report {
    var shot: Shot
    /// The shot's folder, absolute on the coordinator's machine.
    var folder: String
    var annotation: ShotAnnotation
    var figures: ShotFigures
    /// Devices that were selected and are not in the shot, since their nodes do not configure them.
    var leftOut: LeftOutDevices?

    init(_ document: LocatedShot) {
        self.init(
            document.shot, folder: document.library + "/" + document.folder, annotation: document.annotation)
        leftOut = document.leftOut
    }

    init(_ shot: Shot, folder: String, annotation: ShotAnnotation = ShotAnnotation()) {
        self.shot = shot
        self.folder = folder
        self.annotation = annotation
        figures = ShotFigures(shot)
    }

    var document: ShotReportDocument {
        ShotReportDocument(shot, folder: folder, annotation: annotation, leftOut: leftOut)
    }

    /// The shot exists whatever its cameras delivered.
    var names: [String]? { [shot.id.description] }
    var failures: [String] {
        shot.captures.flatMap { capture in
            capture.files.compactMap { file in
                let problem = capture.problem(of: file)
                guard !file.isStored || problem != nil else { return nil }
                return "\(capture.device.id) \(file.kind.rawValue): "
                    + [outcome(of: file, in: capture), problem?.message].compactMap(\.self).joined(separator: ": ")
            } + excesses(capture).map { "\(capture.device.id): \($0)" }
        }
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("OUTCOME"), .init("SKEW", .right, dropped: 2),
            .init("BOUND", dropped: 1), .init("FILE", .left, .start(12), dropped: 3),
            .init("STAMPS", isOnlyWide: true), .init("PROBLEM", .left, .wrap(20)),
        ]
        return Table(columns: columns, rows: shot.captures.flatMap(rows)).rendered(layout) + summary
    }

    private func rows(_ capture: Capture) -> [[String]] {
        capture.files.map { file in
            [
                capture.device.id.description, outcome(of: file, in: capture),
                capture.timing.map { Duration.nanoseconds($0.skewNanoseconds).signedText } ?? "-",
                capture.timing.map { "± \($0.midExposure.bound.shortText)" } ?? "-",
                file.path ?? "-", capture.timing?.stampOrigin?.text ?? "-", capture.problem(of: file)?.message ?? "",
            ]
        }
    }

    /// How long a still larger than the stream's frames has interrupted the stream.
    private func gap(_ capture: Capture) -> String? {
        guard let gap = capture.streamGap, let resolved = capture.resolved else { return nil }
        let length = gap.nanoseconds.map { "for \(Duration.nanoseconds($0).shortText)" } ?? "and had not returned"
        return "\(capture.device.id) left its stream \(length), for a still of \(resolved.width)x\(resolved.height)"
    }

    /// Remarks on clips or missing clips, on missing raw files, on settings that were being changed and on claims that cannot be verified,
    /// each with its cameras.
    private var notes: [String] {
        let noted = shot.captures.flatMap { capture in
            ([capture.rawNote, change(at: capture.timing)].compactMap(\.self) + capture.unverifiedNotes
                + clipNotes(capture) + excesses(capture))
                .map { (note: $0, device: capture.device.id.description) }
        }
        let groups = Dictionary(grouping: noted, by: \.note)
        // In the order of the table above.
        return groups.sorted { ($0.value[0].device, $0.key) < ($1.value[0].device, $1.key) }.map { note, captures in
            let names = captures.map(\.device)
            return "\(names.count > 3 ? "\(names.count) cameras" : names.joined(separator: ", ")): \(note)"
        }
    }

    /// Says of a frame that its camera's settings were being changed.
    private func change(at timing: FrameTiming?) -> String? {
        guard case .changing(let before, let revision) = timing?.settings else { return nil }
        if let revision, before == revision {
            return "its frame may have the settings of settings transaction \(revision), or those of a flash or bracket"
        }
        let change = revision.map { "settings transaction \($0)" } ?? "a change of its settings"
        return "its frame may have the settings before \(change), or those after it"
    }

    /// The limits that its picture exceeds.
    private func excesses(_ capture: Capture) -> [String] {
        guard let timing = capture.timing else { return [] }
        return capture.exceeds.map { limit in
            switch limit {
            case .maxSkew:
                "its skew of \(Duration.nanoseconds(timing.skewNanoseconds).signedText) exceeds the limit\(limited(to: shot.limits?.maxSkew))"
            case .maxBound:
                "its bound of \(timing.midExposure.bound.shortText) exceeds the limit\(limited(to: shot.limits?.maxBound))"
            }
        }
    }

    private func limited(to limit: Duration?) -> String { limit.map { " of \($0.shortText)" } ?? "" }

    private func clipNotes(_ capture: Capture) -> [String] {
        guard shot.request.settings.livePhoto != nil else { return [] }
        let changes = capture.clip?.settings.contains { if case .changing = $0.settings { true } else { false } }
        return [capture.resolved?.livePhotoNote].compactMap(\.self) + silences(capture)
            + (changes == true ? ["its settings change during the clip"] : [])
    }

    /// The parts of its clip without sound.
    private func silences(_ capture: Capture) -> [String] {
        (capture.clip?.silences ?? []).map { silence in
            let (start, length) = (silence.startNanoseconds, silence.durationNanoseconds)
            return
                "the clip is silent for \(Duration.nanoseconds(length).shortText), from \(Duration.nanoseconds(start).shortText) on: \(silence.cause.explanation)"
        }
    }

    /// The outcome of a file. Without an outcome, and if its node has claimed of it what cannot be true, the phase of its capture.
    private func outcome(of file: CapturedFile, in capture: Capture) -> String {
        file.outcome == .pending || capture.isDoubted(file) ? capture.phase.rawValue : file.outcome.rawValue
    }

    private var summary: String {
        var parts = figures.files.map(\.text)
        if let simultaneity = figures.simultaneity {
            parts.append(
                "spread \(simultaneity.spread.shortText) ± \(simultaneity.bound.shortText) (\(simultaneity.earliest) to \(simultaneity.latest))"
            )
        }
        if let prediction = shot.prediction { parts.append("predicted \(prediction.text)") }
        if let skew = figures.worstSkew { parts.append("worst skew \(skew.signedText)") }
        if let bound = figures.worstBound { parts.append("worst bound \(bound.shortText)") }
        var lines = ["\(shot.status.rawValue): \(parts.joined(separator: ", "))"]
        lines += shot.captures.compactMap(gap) + notes + ["shot \(shot.id)", folder]
        if let principal = shot.triggeredBy { lines.append("triggered by \(Table.printable(principal.name))") }
        if !annotation.title.isEmpty { lines.append("title: \(Table.printable(annotation.title))") }
        lines += annotation.note.split(separator: "\n").map { "note: \(Table.printable(String($0)))" }
        if !annotation.rejected.isEmpty {
            lines.append("rejected: \(annotation.rejected.map(\.description).joined(separator: ", "))")
        }
        if shot.status == .open { lines.append("still open: ask again with `capctl shots show \(shot.id)`") }
        return lines.joined(separator: "\n") + "\n" + shot.leftOutRemarks + LeftOutDevices.remark(leftOut)
    }
}

extension SpreadPrediction {
    /// `4.90 ms ± 1.20 ms`.
    fileprivate var text: String { spread.shortText + (bound.map { " ± \($0.shortText)" } ?? "") }
}

extension FileCount {
    /// `3 of 4 clips`.
    var text: String { "\(stored) of \(expected) \(sort.plural)" }
}

extension FileSort {
    /// The name for people, in the plural.
    fileprivate var plural: String {
        switch self {
        case .stills: "stills"
        case .raws: "raw files"
        case .heics: "HEIC files"
        case .clips: "clips"
        case .motionPhotos: "motion photos"
        case .movies: "movies"
        }
    }
}
