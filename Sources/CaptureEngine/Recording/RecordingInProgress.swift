import CaptureModel
import PosixSupport
import Spool

/// A frame on its way to the disk, with its instant on the rig's time line.
struct RecordableFrame: Sendable {
    var frame: PictureFrame
    var time: BoundedRigTime
}

/// A recording as its session keeps it; the files are ``MovieFileWriter``'s.
struct RecordingInProgress {
    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let teller: CaptureTeller?
    var lifeCycle: CaptureLifeCycle
    /// What the writer has on the disk.
    let progress: Locked<RecordingProgress>
    /// Where frames go; bounded, and what does not fit is left out.
    let frames: RecordableFrames
    /// Frames that were left out, because those before were not on the disk yet.
    var droppedFrames = 0
    /// The newest frame that was taken.
    var newest: RigTime?
    /// When it ends, once somebody has said so.
    var stop: RigTime?
    /// Why it has ended, once no further frame is taken.
    var ending: Ending?

    /// How a recording ends.
    struct Ending: Sendable {
        var end: RecordedMovie.End
        var problem: CaptureProblem?
        var note: String?
    }
}
