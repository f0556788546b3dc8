/// Which format a session asks of its camera; after AVFoundation's `AVCaptureSession.Preset`.
public enum SessionPreset: String, Hashable, Codable, Sendable, CaseIterable {
    /// The largest stills the camera offers, at whatever rate they come.
    case photo
    /// The largest pictures that come at the rate the input asks for, 30 frames a second where it does not say.
    case high
    /// The format that the input asks for.
    case inputPriority
}
