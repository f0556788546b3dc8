/// An entry that two sets of settings of cameras do not have in common.
public struct ProfileDifference: Hashable, Sendable {
    public var device: DeviceID
    /// The name of an entry, `make` or `model`; nil if one of the two does not have the camera.
    public var name: String?
    /// The value in the first set; nil if it has none.
    public var first: String?
    /// The value in the second set; nil if it has none.
    public var second: String?

    public init(device: DeviceID, name: String?, first: String?, second: String?) {
        self.device = device
        self.name = name
        self.first = first
        self.second = second
    }

    /// Compares settings by camera and name.
    /// - Returns: In the order of the cameras' ids and of the names; empty if both are equal.
    public static func between(
        _ first: [SettingsProfile.Camera], _ second: [SettingsProfile.Camera]
    ) -> [ProfileDifference] {
        let cameras = [first, second].map { side in
            Dictionary(side.map { ($0.device, $0) }, uniquingKeysWith: { first, _ in first })
        }
        return Set(first.map(\.device)).union(second.map(\.device)).sorted().flatMap { device in
            between(cameras[0][device], cameras[1][device], of: device)
        }
    }

    private static func between(
        _ first: SettingsProfile.Camera?, _ second: SettingsProfile.Camera?, of device: DeviceID
    ) -> [ProfileDifference] {
        guard let first, let second else {
            return [
                ProfileDifference(
                    device: device, name: nil, first: (first?.settings).map { "\($0)" },
                    second: (second?.settings).map { "\($0)" })
            ]
        }
        let hardware = [("make", first.make, second.make), ("model", first.model, second.model)]
        let values = [first.settings, second.settings].map(\.valuesByName)
        let names = Set(values[0].keys).union(values[1].keys).sorted()
        return (hardware + names.map { ($0, values[0][$0], values[1][$0]) }).compactMap { name, first, second in
            first == second ? nil : ProfileDifference(device: device, name: name, first: first, second: second)
        }
    }
}

extension CaptureSettings {
    fileprivate var valuesByName: [String: String] {
        Dictionary(
            entries.map { ($0.name, String("\($0)".dropFirst($0.name.count + 1))) },
            uniquingKeysWith: { first, _ in first })
    }
}
