public import CaptureModel
internal import ShotDocuments

/// A shot with its outcomes: `capctl trigger` and `capctl shots show`.
public struct ShotReportDocument: Encodable, Sendable {
    var counts: [FileCount]
    /// The camera of the earliest picture; absent for fewer than two pictures.
    var earliest: DeviceID?
    var files: [File]
    /// The shot's folder, absolute on the coordinator's machine.
    var folder: String
    /// The camera of the latest picture, which with `earliest` is the pair that is farthest apart.
    var latest: DeviceID?
    /// The note on the shot; absent if there is none.
    var note: String?
    /// Devices that were selected and omitted, since their nodes do not configure them; absent if there are none.
    var notConfigured: [DeviceID]?
    /// Cameras whose pictures somebody has rejected; absent if there are none.
    var rejected: [DeviceID]?
    /// The manifest, without its dates. Its integers are numbers, as in the stored file.
    var shot: ShotDocument
    /// The largest error of the spread; absent for fewer than two pictures.
    var spreadBoundNanoseconds: Integer64?
    var spreadNanoseconds: Integer64?
    /// T, on the coordinator's wall clock.
    var time: String
    var title: String?
    var worstBoundNanoseconds: Integer64?
    var worstSkewNanoseconds: Integer64?

    /// One expected file with its outcome; optional members are absent without a frame or a file.
    struct File: Encodable {
        var boundNanoseconds: Integer64?
        var byteCount: Integer64?
        var device: DeviceID
        var kind: AssetKind
        var outcome: CapturedFile.Outcome
        /// Absolute on the coordinator's machine.
        var path: String?
        var problem: RigProblem?
        var sha256: String?
        var skewNanoseconds: Integer64?
    }

    /// - Parameters:
    ///   - folder: The shot's folder, absolute on the coordinator's machine.
    ///   - leftOut: Devices that were selected and are not in the shot, since their nodes do not configure them.
    public init(_ shot: Shot, folder: String, annotation: ShotAnnotation, leftOut: LeftOutDevices?) {
        let figures = ShotFigures(shot)
        self.shot = ShotDocument(shot)
        self.folder = folder
        counts = figures.files
        notConfigured = leftOut?.devices
        rejected = annotation.rejected.isEmpty ? nil : annotation.rejected
        note = annotation.note.isEmpty ? nil : annotation.note
        title = annotation.title.isEmpty ? nil : annotation.title
        earliest = figures.simultaneity?.earliest
        latest = figures.simultaneity?.latest
        spreadBoundNanoseconds = (figures.simultaneity?.boundNanoseconds).map(Integer64.init)
        spreadNanoseconds = (figures.spread?.nanoseconds).map(Integer64.init)
        worstBoundNanoseconds = (figures.worstBound?.nanoseconds).map(Integer64.init)
        worstSkewNanoseconds = (figures.worstSkew?.nanoseconds).map(Integer64.init)
        time = RFC3339.text(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
        files = shot.captures.flatMap { capture in
            capture.files.map { File($0, of: capture, in: folder) }
        }
    }
}

extension ShotReportDocument.File {
    fileprivate init(_ file: CapturedFile, of capture: Capture, in folder: String) {
        boundNanoseconds = (capture.timing?.midExposure.boundNanoseconds).map(Integer64.init)
        byteCount = file.byteCount.map(Integer64.init)
        device = capture.device.id
        kind = file.kind
        outcome = file.outcome
        path = file.path.map { folder + "/" + $0 }
        problem = capture.problem(of: file)
        sha256 = file.digest?.description
        skewNanoseconds = (capture.timing?.skewNanoseconds).map(Integer64.init)
    }
}
