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
    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let plan: ClipPlan
    /// Mid-exposure of the frame that the photo was made of.
    let stillMidExposure: LocalTime
    /// Rung when its last frame may have come.
    let alarm: Alarm
    var lifeCycle: CaptureLifeCycle
    let teller: CaptureTeller?
    /// Whether all its frames have come.
    var isRecorded = false
    /// Why frames of it will not come.
    var interruption: String?
}
