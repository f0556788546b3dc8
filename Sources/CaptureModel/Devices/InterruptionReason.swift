/// Why a session that was meant to run does not, though nothing is wrong with it; it goes on by itself afterwards.
///
/// After AVFoundation's `AVCaptureSession.InterruptionReason`; only reasons that have a source are here.
public enum InterruptionReason: String, Hashable, Codable, Sendable, CaseIterable {
    /// The device is not there: unplugged (`ENODEV`, `ENOENT`).
    case deviceAbsent
    /// Another program holds the device (`EBUSY`).
    case inUseByAnotherClient
    /// The bus has no bandwidth left for the stream (`ENOSPC` at stream on).
    case noBandwidth
    /// The device ran, and this process may not open it any more (`EACCES`, `EPERM`).
    case accessRevoked
}
