import CaptureModel
import Recording

/// A recording as its session keeps it; the files are ``MovieFileWriter``'s.
struct RecordingInProgress {
    /// How far it has come.
    enum Stage {
        /// Frames are taken.
        case recording
        /// No further frame is taken; the movie is being finished.
        case ended(RecordingEnding)
    }

    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let teller: CaptureTeller?
    var lifeCycle: CaptureLifeCycle
    /// What its writer works on, and has on the disk.
    let request: RecordingRequest
    var stage = Stage.recording
    /// Frames that were left out, because those before were not on the disk yet.
    var droppedFrames = 0
    /// The newest frame that was taken.
    var newest: RigTime?
    /// When it ends, once somebody has said so.
    var stop: RigTime?

    /// How it has ended; nil while frames are taken.
    var ending: RecordingEnding? { if case .ended(let ending) = stage { ending } else { nil } }
    var isRecording: Bool { if case .recording = stage { true } else { false } }

    /// Takes no further frame.
    mutating func end(_ ending: RecordingEnding) {
        stage = .ended(ending)
        request.frames.finish()
    }

    /// Whether no further frame is to be expected before its stop.
    /// - Parameter interval: From frame to frame.
    func hasAllFrames(interval: Duration) -> Bool {
        guard let stop, let newest else { return false }
        return stop - newest <= interval * 2
    }
}
