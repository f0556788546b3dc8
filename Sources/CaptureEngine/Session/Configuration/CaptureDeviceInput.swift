public import CaptureDevices
public import CaptureModel

/// A device as the input of a session, with the format asked of it; after AVFoundation's `AVCaptureDeviceInput`.
public struct CaptureDeviceInput: Sendable {
    public let device: CaptureDevice
    /// What counts under the preset `inputPriority`.
    public var format: FormatRequest
    /// How large stills may be beyond the stream's frames; nil where none larger are enabled.
    public var maxPhotoDimensions: MaxPhotoDimensions?

    public init(
        device: CaptureDevice, format: FormatRequest = FormatRequest(), maxPhotoDimensions: MaxPhotoDimensions? = nil
    ) {
        self.device = device
        self.format = format
        self.maxPhotoDimensions = maxPhotoDimensions
    }
}
