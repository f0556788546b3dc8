/// Whether this process may open a device, after AVFoundation's `AVAuthorizationStatus`.
public enum AuthorizationStatus: String, Hashable, Codable, Sendable, CaseIterable {
    /// Not checked yet, or there is no device to check.
    case notDetermined
    /// The device may be opened.
    case authorized
    /// The system refuses this process (`EACCES`, `EPERM`). A group or a udev rule grants access.
    case denied
    /// The configuration, or the device policy of the service, forbids it.
    case restricted
}
