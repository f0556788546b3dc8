import CaptureModel
import Spool

/// A capture between its arming and its end, as the session keeps it.
struct PendingCapture {
    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    /// How the camera is set for the capture; nil where it is left as it stands.
    let plan: CapturePlan?
    /// How the camera leaves its stream for the capture, and what came of it; nil where the still is a frame of the stream.
    var formatSwitch: PhotoFormatSwitch?
    /// How its clip is to be made; nil where it has none.
    let clip: ClipPlan?
    let reservation: SpoolReservation
    /// When the recording that it is to be ends, where that is known already.
    var stop: RigTime?
    /// Whether the order to choose the frame has come; then it does not expire.
    var isFired = false
    /// Whether its frame is chosen, and the still is being made.
    var isChosen = false
    /// When and why the stream broke off since the capture was armed: the first time within the window of its clip, else the
    /// last time.
    private(set) var interruption: Interruption?
    /// Whether its frames were given up, so that it can only end.
    var hasLostFrames = false
    /// Rung at every good frame, once the capture is fired.
    var alarm: Alarm?
    /// Which of its steps the capture has come to.
    var lifeCycle = CaptureLifeCycle()
    /// Whom this capture's steps are told, besides the session's observer.
    var teller: CaptureTeller?

    /// Notes that the stream broke off.
    mutating func note(_ interruption: Interruption) {
        if let known = self.interruption, clip?.window.contains(known.began) == true { return }
        self.interruption = interruption
    }

    /// Whether the camera is the capture's alone.
    var hasCamera: Bool { plan != nil || formatSwitch != nil }
    /// Whether its format switch is still to be made.
    var awaitsFormatSwitch: Bool { formatSwitch.map { $0.outcome == nil } ?? false }
}
