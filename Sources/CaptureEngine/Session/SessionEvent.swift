public import CaptureModel

/// What a session tells while it runs; nothing per frame.
public enum SessionEvent: Hashable, Sendable {
    /// The device's state changed.
    case conditionChanged(DeviceCondition)
    /// A capture has reached a step of its life cycle.
    case lifeCycle(CaptureKey, LifeCycleStep)
}

/// The steps of a capture, in AVFoundation's words (`AVCapturePhotoCaptureDelegate`), in their order.
public enum LifeCycleStep: Hashable, Sendable {
    /// The frames are pinned and the settings resolved.
    case willBeginCapture(ResolvedPhotoSettings)
    /// The frame of T is about to be exposed, or to be chosen where T has passed.
    case willCapturePhoto
    /// The frame is chosen.
    case didCapturePhoto(FrameTiming)
    /// The still is durable in the spool.
    case didFinishProcessingPhoto(SpooledFile)
    /// The capture is over; nothing follows. Exactly one per `willBeginCapture`.
    case didFinishCapture(CaptureProblem?)
}
