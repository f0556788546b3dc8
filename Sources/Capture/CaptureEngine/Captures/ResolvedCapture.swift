import CaptureModel

/// An order as it can be carried out.
struct ResolvedCapture: Sendable {
    var settings: ResolvedPhotoSettings
    /// How the camera is set for the capture; nil where it is left as it stands.
    var plan: CapturePlan?
    /// How the camera leaves its stream for the capture; nil where the still is a frame of the stream.
    var formatSwitch: PhotoFormatSwitch?
    /// How its clip is to be made; nil where it has none.
    var clip: ClipPlan?

    /// Whether the camera has to be the capture's alone.
    var needsCamera: Bool { plan != nil || formatSwitch != nil }
}
