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
    /// The camera has left its stream's format for a still that is larger than the stream's frames.
    case largerPhoto
    /// The machine slept, or the process was stopped; it ends with the next good frame.
    case nodeSuspended
    /// The machine is overloaded or too hot to run cameras.
    case systemPressure
}
