/// Whether a camera takes a further capture, after AVFoundation's `AVCapturePhotoOutput.CaptureReadiness`, from ready to
/// not running.
///
/// Captures overlap, so a camera that waits for a capture or makes a still takes further ones.
public enum CaptureReadiness: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
    /// It runs and has nothing to do.
    case ready
    /// Stills are being made of frames that are chosen.
    case waitingForProcessing
    /// The frame of a capture is still to come.
    case waitingForCapture
    /// It runs and takes no further capture before one has ended.
    case busy
    /// The session does not run.
    case notRunning

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
