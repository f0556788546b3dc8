public import CameraKit
public import CaptureModel

/// A device as the input of a session, with the format asked of it; after AVFoundation's `AVCaptureDeviceInput`.
public struct CaptureDeviceInput: Sendable {
    public let device: CaptureDevice
    /// What counts under the preset `inputPriority`.
    public var format: FormatRequest
    /// How large stills may be beyond the stream's frames; nil where none larger are enabled.
    public var maxPhotoDimensions: MaxPhotoDimensions?
    /// What is made of the device's raw mosaic, where it delivers one.
    public var raw: RawSettings

    public init(
        device: CaptureDevice, format: FormatRequest = FormatRequest(), maxPhotoDimensions: MaxPhotoDimensions? = nil,
        raw: RawSettings = RawSettings()
    ) {
        self.device = device
        self.format = format
        self.maxPhotoDimensions = maxPhotoDimensions
        self.raw = raw
    }
}

extension CaptureDeviceInput {
    /// The format to ask of the device under a preset, which may take asking the device what it offers.
    func resolvedFormat(_ preset: SessionPreset) async throws(CameraError) -> FormatRequest {
        if preset == .inputPriority { return format }
        let offers = try await device.camera.capabilities().formats
        guard let resolved = FormatResolution.resolve(preset, wish: format, offers: offers) else {
            throw CameraError(
                .unsupportedFormat, device: device.id.description, operation: "resolve the preset",
                reason: "it offers nothing that fulfils '\(preset.rawValue)'; choose another preset, or a format")
        }
        return resolved
    }
}
