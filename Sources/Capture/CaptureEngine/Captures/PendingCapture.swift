import CaptureModel
import Spool

/// A capture between its arming and its end, or until another output carries it on: a Live Photo's clip, a movie.
struct PendingCapture {
    /// How far it has come.
    enum Stage {
        /// It waits for the order to choose its frame, and expires.
        case armed
        /// The order has come; its frames are waited for.
        case fired
        /// Its frames are chosen, and its files are being made.
        case chosen
    }

    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    /// How the camera is set for the capture; nil where it is left as it stands.
    let plan: CapturePlan?
    /// How the camera leaves its stream for the capture, and what came of it; nil where the still is a frame of the stream.
    var formatSwitch: PhotoFormatSwitch?
    /// How its clip is to be made; nil where it has none.
    let clip: ClipPlan?
    let reservation: SpoolReservation
    /// Whom this capture's steps are told, besides the session's observer.
    let teller: CaptureTeller?
    var stage = Stage.armed
    /// Rung when a frame may have come, or will not; nil before somebody waits for one, which for a format switch may be before
    /// it is fired.
    var alarm: Alarm?
    /// Which of its steps the capture has come to.
    var lifeCycle = CaptureLifeCycle()
    /// When the recording that it is to be ends, where that is known already.
    var stop: RigTime?
    /// When and why the stream broke off since the capture was armed: the first time within the window of its clip, else the
    /// last time.
    private(set) var interruption: Interruption?
    /// Whether its frames were given up, so that it can only end.
    var hasLostFrames = false

    init(
        _ order: CaptureOrder, _ resolved: ResolvedCapture, _ reservation: SpoolReservation, teller: CaptureTeller?
    ) {
        self.order = order
        self.resolved = resolved.settings
        plan = resolved.plan
        formatSwitch = resolved.formatSwitch
        clip = resolved.clip
        self.reservation = reservation
        self.teller = teller
    }

    /// Notes that the stream broke off.
    mutating func note(_ interruption: Interruption) {
        if let known = self.interruption, clip?.window.contains(known.began) == true { return }
        self.interruption = interruption
    }

    /// Whether the order to choose the frame has come.
    var isFired: Bool { stage != .armed }
    var isChosen: Bool { stage == .chosen }
    /// Whether the camera is the capture's alone.
    var hasCamera: Bool { plan != nil || formatSwitch != nil }
    /// Whether its format switch is still to be made.
    var awaitsFormatSwitch: Bool { formatSwitch.map { $0.outcome == nil } ?? false }
}

/// A capture that is being armed: its key, the camera where it needs that alone, and the frames of its window are its own, so
/// that nothing of this has to be looked at again when the disk and the camera have answered.
struct CaptureClaim {
    let order: CaptureOrder
    /// Whether the camera is the capture's alone.
    var hasCamera: Bool
    /// Other orders for the same capture, which are answered when this one is.
    var waiters: [CheckedContinuation<Void, Never>] = []
}
