import CaptureModel
import Spool

/// A capture between its arming and its end, as the session keeps it.
struct PendingCapture {
    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    /// How the camera is set for the capture; nil where it is left as it stands.
    let plan: CapturePlan?
    let reservation: SpoolReservation
    /// Whether the order to choose the frame has come; then it does not expire.
    var isFired = false
    /// Whether its frame is chosen, and the still is being made.
    var isChosen = false
    /// Whether the stream broke off since the capture was armed, and why.
    var interruption: String?
    /// Rung at every good frame, once the capture is fired.
    var alarm: Alarm?
    /// Which of its steps the capture has come to.
    var lifeCycle = CaptureLifeCycle()
    /// Whom this capture's steps are told, besides the session's observer.
    var teller: CaptureTeller?
}
