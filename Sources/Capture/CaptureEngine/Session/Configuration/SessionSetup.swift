import CameraKit

/// The configuration a session has, with what was resolved of it.
struct SessionSetup: Sendable {
    var configuration: SessionConfiguration
    /// The configuration's input.
    var input: CaptureDeviceInput
    /// The concrete format asked of the camera; nil while the preset is not resolved, which takes the camera.
    var format: FormatRequest?

    /// A configuration whose preset is not resolved, where that takes the camera.
    /// - Throws: Where a session cannot have it.
    init(_ configuration: SessionConfiguration) throws(ConfigurationFailure) {
        input = try configuration.videoInput()
        self.configuration = configuration
        format = configuration.preset == .inputPriority ? input.format : nil
    }
}
