public import CaptureModel

/// The steps of a capture, in AVFoundation's words (`AVCapturePhotoCaptureDelegate`), in their order.
public enum LifeCycleStep: Hashable, Sendable {
    /// The frames are pinned and the settings resolved.
    case willBeginCapture(ResolvedPhotoSettings)
    /// The frame of T is about to be exposed, or to be chosen where T has passed.
    case willCapturePhoto
    /// The frame is chosen.
    case didCapturePhoto(FrameTiming)
    /// A small picture is there, before any file is durable; only where the settings ask for one.
    case previewAvailable(PreviewPhoto)
    /// A file of the capture is durable in the spool: the still, or its preview.
    case didFinishProcessingPhoto(SpooledFile)
    /// The last frame of the clip has come; only of a Live Photo.
    case didFinishRecordingLivePhotoMovie
    /// The clip is durable in the spool.
    case didFinishProcessingLivePhotoMovie(LivePhotoMovieFile)
    /// The capture is over; nothing follows. Exactly one per `willBeginCapture`.
    case didFinishCapture(CaptureProblem?)
}
