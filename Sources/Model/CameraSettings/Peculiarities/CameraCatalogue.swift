public import CaptureModel

/// What is known of models of cameras.
public struct CameraCatalogue: Hashable, Sendable {
    public var cameras: [CameraPeculiarities]

    public init(_ cameras: [CameraPeculiarities] = []) {
        self.cameras = cameras
    }

    /// Returns what is known of a camera: of several entries that match, the one that says most about it, and of equal
    /// ones the first.
    public func peculiarities(
        make: String?, model: String?, firmware: String? = nil, format: String? = nil
    ) -> CameraPeculiarities? {
        var best: CameraPeculiarities?
        for camera in cameras
        where camera.match.matches(make: make, model: model, firmware: firmware, format: format) {
            if camera.match.precision > best?.match.precision ?? -1 { best = camera }
        }
        return best
    }
}

extension SettableCamera {
    /// - Parameter catalogue: What is known of models of cameras.
    public init(_ details: DeviceDetails, _ capabilities: DeviceCapabilities, catalogue: CameraCatalogue) {
        self.init(
            capabilities, format: details.condition.format,
            peculiarities: catalogue.peculiarities(make: details.device.make, model: details.device.model))
    }
}
