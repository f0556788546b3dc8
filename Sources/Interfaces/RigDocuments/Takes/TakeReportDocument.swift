public import CaptureModel
internal import ShotDocuments

/// A take with the outcome of each camera's movie: `capctl record start`, `record stop` and `takes show`.
public struct TakeReportDocument: Encodable, Sendable {
    var cameras: [Camera]
    /// The two cameras whose frames drifted apart most; absent if the drift of no two cameras of one rate is known.
    var drift: Drift?
    /// The take's folder, absolute on the coordinator's machine.
    var folder: String
    var note: String?
    /// Devices that were selected and omitted, since their nodes do not configure them; absent if there are none.
    var notConfigured: [DeviceID]?
    /// Cameras whose pictures somebody has rejected; absent if there are none.
    var rejected: [DeviceID]?
    /// The manifest, as in `take.json`, without its dates. Its integers are numbers, as in the stored file.
    var take: ShotDocument
    /// T, on the coordinator's wall clock.
    var time: String
    var title: String?

    /// A camera of the take.
    struct Camera: Encodable {
        var device: DeviceID
        /// How much longer its frame interval was than its format states; absent if that is not known.
        var driftPartsPerBillion: Int?
        var driftBoundPartsPerBillion: Int?
        var frames: Int?
        /// Why it has fewer frames than others.
        var frameReason: String?
        var outcome: Capture.Phase
        var problem: RigProblem?
    }

    /// How much more time there was between the frames of two cameras at the end than at the beginning.
    struct Drift: Encodable {
        /// The camera whose frames came more quickly.
        var ahead: DeviceID
        var apartNanoseconds: Integer64
        var behind: DeviceID
        var boundNanoseconds: Integer64

        init(_ drift: TakeDrift) {
            ahead = drift.ahead
            apartNanoseconds = Integer64(drift.apart.nanoseconds)
            behind = drift.behind
            boundNanoseconds = Integer64(drift.bound.nanoseconds)
        }
    }

    /// - Parameters:
    ///   - folder: The take's folder, absolute on the coordinator's machine.
    ///   - leftOut: Devices that were selected and are not in the take, since their nodes do not configure them.
    public init(_ take: Shot, folder: String, annotation: ShotAnnotation, leftOut: LeftOutDevices?) {
        let figures = TakeFigures(take)
        cameras = take.captures.map { capture in
            let drift = capture.drift
            return Camera(
                device: capture.device.id, driftPartsPerBillion: (drift?.partsPerMillion).map(Self.perBillion),
                driftBoundPartsPerBillion: (drift?.boundPartsPerMillion).map(Self.perBillion),
                frames: capture.movie?.frameCount, frameReason: figures.reason(capture), outcome: capture.phase,
                problem: capture.problem)
        }
        drift = TakeDrift(of: take.captures).map(Drift.init)
        self.folder = folder
        note = annotation.note.isEmpty ? nil : annotation.note
        notConfigured = leftOut?.devices
        rejected = annotation.rejected.isEmpty ? nil : annotation.rejected
        self.take = ShotDocument(take)
        time = RFC3339.text(realtimeNanoseconds: take.wallClock.realtimeNanoseconds(at: take.time))
        title = annotation.title.isEmpty ? nil : annotation.title
    }

    private static func perBillion(_ partsPerMillion: Double) -> Int {
        Int(Int64(clampingRounded: partsPerMillion * 1000))
    }
}
