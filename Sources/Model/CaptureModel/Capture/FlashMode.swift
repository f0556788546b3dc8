/// When a capture is lit, after AVFoundation's `AVCaptureDevice.FlashMode`.
public enum FlashMode: String, Hashable, Codable, Sendable, CaseIterable {
    case off
    case on
    /// Lit where the newest frame before it is dark.
    case auto
}
