import CaptureModel
import Spool

/// How the clip of a capture is to be made.
struct ClipPlan: Sendable {
    /// The frames it has, by their mid-exposure.
    var window: ClosedRange<LocalTime>
    /// Room for it in the spool; nil before it is reserved.
    var reservation: SpoolReservation?
}

/// A capture whose photo is stored, and whose clip is being recorded or made.
struct ClipInProgress {
    /// How far it has come.
    enum Stage {
        /// Its frames come. The alarm is rung when the last one may have come, or will not.
        case recording(Alarm)
        /// Frames of it will not come, for this reason.
        case interrupted(String)
        /// All its frames have come.
        case recorded
    }

    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let plan: ClipPlan
    /// Mid-exposure of the frame that the photo was made of.
    let stillMidExposure: LocalTime
    var stage: Stage
    var lifeCycle: CaptureLifeCycle
    let teller: CaptureTeller?

    /// Whether its frames are still wanted.
    var isRecorded: Bool { if case .recorded = stage { true } else { false } }
}
