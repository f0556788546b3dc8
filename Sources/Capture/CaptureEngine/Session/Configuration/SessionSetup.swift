import CameraKit
import CaptureModel

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

    /// The input's device, with the orientation and mirroring of its connections.
    var device: DeviceDescription {
        var description = input.device.description
        description.orientation = configuration.orientation ?? description.orientation
        if let isMirrored = configuration.isVideoMirrored { description.mirrored = isMirrored ? true : nil }
        return description
    }

    /// Whether frames go to an output.
    func isEnabled(_ output: CaptureOutputKind) -> Bool { configuration.connection(to: output)?.isEnabled == true }

    /// Whether the camera has to be closed for this setup to count.
    func needsOtherHardware(than old: SessionSetup) -> Bool {
        input.device.id != old.input.device.id || format != old.format
    }
}
