public import CaptureModel
import Recording

/// A recording as its session keeps it. ``MovieFileWriter`` owns the files.
struct RecordingInProgress {
    /// The progress of the recording.
    enum Stage {
        /// Frames are accepted.
        case recording
        /// No more frames are accepted. The movie is being finished.
        case ended(RecordingEnding)
    }

    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let sender: CaptureEventSender?
    var lifeCycle: CaptureLifeCycle
    /// The request that its writer works on, with the state of its files.
    let request: RecordingRequest
    var stage = Stage.recording
    /// Number of frames left out because earlier ones were not on the disk yet.
    var droppedFrames = 0
    /// The newest accepted frame.
    var newest: RigTime?
    /// When it ends; nil before a stop.
    var stop: RigTime?

    /// How it has ended; nil while frames are accepted.
    var ending: RecordingEnding? { if case .ended(let ending) = stage { ending } else { nil } }
    var isRecording: Bool { if case .recording = stage { true } else { false } }

    /// Ends the recording: no more frames are accepted.
    mutating func end(_ ending: RecordingEnding) {
        stage = .ended(ending)
        request.frames.finish()
    }

    /// Returns whether no more frames are expected before its stop.
    /// - Parameter interval: Time from frame to frame.
    func hasAllFrames(interval: Duration) -> Bool {
        guard let stop, let newest else { return false }
        return stop - newest <= interval * 2
    }
}

/// A step of a recording, after AVFoundation's `AVCaptureFileOutputRecordingDelegate`.
public enum RecordingNotice: Hashable, Sendable {
    /// Frames are being recorded. Carries the first one's timing.
    case didStartRecording(FrameTiming)
    /// The movie is finished and part of its capture; nil if there is none, with the reason.
    case didFinishRecording(RecordedMovie?, RigProblem?)
}
