public import CaptureDevices

/// A device as the input of a session, with the format asked of it; after AVFoundation's `AVCaptureDeviceInput`.
public struct CaptureDeviceInput: Sendable {
    public let device: CaptureDevice
    /// What counts under the preset `inputPriority`.
    public var format: FormatRequest

    public init(device: CaptureDevice, format: FormatRequest = FormatRequest()) {
        self.device = device
        self.format = format
    }
}
