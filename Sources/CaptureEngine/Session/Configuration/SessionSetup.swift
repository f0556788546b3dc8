import CameraKit

/// The configuration a session has, with what was resolved of it.
struct SessionSetup: Sendable {
    var configuration: SessionConfiguration
    /// The configuration's input.
    var input: CaptureDeviceInput
    /// The concrete format asked of the camera; nil while the preset is not resolved, which takes the camera.
    var format: FormatRequest?
}
