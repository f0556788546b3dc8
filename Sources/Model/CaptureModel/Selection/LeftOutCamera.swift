/// A camera that a shot's selection matches and the shot does not expect, because somebody wants it closed: an entry of `leftOut` of a
/// manifest.
public struct LeftOutCamera: Hashable, Codable, Sendable {
    public var device: DeviceID
    /// A clause for people: why it is closed, and how to start it.
    public var reason: String

    public init(device: DeviceID, reason: String) {
        self.device = device
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey {
        case device = "device"
        case reason = "reason"
    }

    /// Selected devices that are left out of a shot: those that are closed on purpose, unless the selection names them.
    public static func among(_ candidates: [SelectionCandidate], _ selection: Selection) -> [LeftOutCamera] {
        candidates.compactMap { candidate in
            guard let reason = candidate.deliberateStop, !selection.devices.contains(candidate.device.id) else {
                return nil
            }
            return LeftOutCamera(device: candidate.device.id, reason: reason)
        }
    }
}
