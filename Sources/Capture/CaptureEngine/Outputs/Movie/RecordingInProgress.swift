import CaptureModel
import Recording

/// A recording as its session keeps it; the files are ``MovieFileWriter``'s.
struct RecordingInProgress {
    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let teller: CaptureTeller?
    var lifeCycle: CaptureLifeCycle
    /// What its writer works on, and has on the disk.
    let request: RecordingRequest
    /// Frames that were left out, because those before were not on the disk yet.
    var droppedFrames = 0
    /// The newest frame that was taken.
    var newest: RigTime?
    /// When it ends, once somebody has said so.
    var stop: RigTime?
    /// Why it has ended, once no further frame is taken.
    var ending: RecordingEnding?
}
