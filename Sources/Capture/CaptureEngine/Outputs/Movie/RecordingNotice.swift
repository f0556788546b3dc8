public import CaptureModel

/// A step of a recording, after AVFoundation's `AVCaptureFileOutputRecordingDelegate`.
public enum RecordingNotice: Hashable, Sendable {
    /// Frames are being recorded: the first one's timing.
    case didStartRecording(FrameTiming)
    /// The movie is finished and part of its capture; nil where there is none, for the reason.
    case didFinishRecording(RecordedMovie?, CaptureProblem?)
}
