/// One camera's part of a shot.
public struct CaptureKey: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public var shot: ShotID
    public var device: DeviceID

    public init(shot: ShotID, device: DeviceID) {
        self.shot = shot
        self.device = device
    }

    private enum CodingKeys: String, CodingKey {
        case shot = "shot"
        case device = "device"
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.shot, left.device) < (right.shot, right.device)
    }

    public var description: String { "\(shot) \(device)" }
}
