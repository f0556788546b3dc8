/// Whether this process may open a device, after AVFoundation's `AVAuthorizationStatus`.
public enum AuthorizationStatus: String, Hashable, Codable, Sendable, CaseIterable {
    /// Nobody has looked yet; asking always ends.
    case notDetermined
    /// The device may be opened.
    case authorized
    /// The system refuses this process (`EACCES`, `EPERM`): a group or a udev rule grants it.
    case denied
    /// The configuration, or the device policy of the service, forbids it.
    case restricted
}
