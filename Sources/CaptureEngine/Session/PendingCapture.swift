import CaptureModel
import Spool

/// A capture between its arming and its end, as the session keeps it.
struct PendingCapture {
    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let reservation: SpoolReservation
    /// Whether the order to choose the frame has come; then it does not expire.
    var isFired = false
    /// Whether the stream broke off since the capture was armed, and why.
    var interruption: String?
    /// Rung at every good frame, once the capture is fired.
    var alarm: Alarm?
}
