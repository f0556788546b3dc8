import CameraKit
import CaptureModel

/// What a session keeps of its last format switch, until the stream is back: longer than the capture, which may be given up.
struct FormatSwitchRecord: Sendable {
    /// The capture it was made for.
    let key: CaptureKey
    /// What the still's format met with; nil while nothing went wrong.
    var trouble: String?
    /// The time without frames of the stream, once it has begun; its length is not known yet.
    var gap: StreamGap?
}
