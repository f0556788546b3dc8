internal import CaptureModel
internal import ShotDocuments

/// `capctl trigger --format json` and `capctl shots show --format json`.
struct ShotReportDocument: Encodable {
    /// The files by sort, as the table's last lines count them.
    var counts: [FileCount]
    var files: [File]
    /// The shot's folder, absolute on the coordinator's machine.
    var folder: String
    /// What people have written about it; absent where they have not.
    var note: String?
    /// What was selected and left out, since its node does not configure it any more; absent where there is nothing.
    var notConfigured: [DeviceID]?
    /// The manifest, without its dates.
    var shot: ShotDocument
    var spreadNanoseconds: Int64?
    /// T, on the coordinator's wall clock.
    var time: String
    var title: String?
    var worstBoundNanoseconds: Int64?
    var worstSkewNanoseconds: Int64?

    /// One expected file with its outcome; optional members are absent where there is no frame or no file.
    struct File: Encodable {
        var boundNanoseconds: Int64?
        var byteCount: Int64?
        var device: DeviceID
        var kind: AssetKind
        var outcome: CapturedFile.Outcome
        /// Absolute on the coordinator's machine.
        var path: String?
        var problem: CaptureProblem?
        var sha256: String?
        var skewNanoseconds: Int64?
    }

    init(_ report: ShotReport) {
        let shot = report.shot
        self.shot = ShotDocument(shot)
        counts = report.figures.files
        folder = report.folder
        notConfigured = report.leftOut?.devices
        note = report.annotation.note.isEmpty ? nil : report.annotation.note
        title = report.annotation.title.isEmpty ? nil : report.annotation.title
        spreadNanoseconds = report.figures.spread?.nanoseconds
        worstBoundNanoseconds = report.figures.worstBound?.nanoseconds
        worstSkewNanoseconds = report.figures.worstSkew?.nanoseconds
        time = RFC3339.text(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
        files = shot.captures.flatMap { capture in
            capture.files.map { File($0, of: capture, in: report.folder) }
        }
    }
}

extension ShotReportDocument.File {
    init(_ file: CapturedFile, of capture: Capture, in folder: String) {
        boundNanoseconds = capture.timing?.midExposure.boundNanoseconds
        byteCount = file.byteCount
        device = capture.device.id
        kind = file.kind
        outcome = file.outcome
        path = file.path.map { folder + "/" + $0 }
        problem = file.problem ?? file.shortfall ?? (file.isStored ? nil : capture.problem)
        sha256 = file.digest?.description
        skewNanoseconds = capture.timing?.skewNanoseconds
    }
}
