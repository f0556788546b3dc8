/// Devices that match a selection but are left out, because their nodes do not configure them. The description says what to do.
public struct LeftOutDevices: Hashable, Sendable, CustomStringConvertible {
    /// At least one device, in order.
    public let devices: [DeviceID]

    /// - Returns: nil if there are none.
    public init?(_ devices: [DeviceID]) {
        guard !devices.isEmpty else { return nil }
        self.devices = devices
    }

    public var description: String {
        let names = devices.map(\.description)
        let (be, node, pronoun) = devices.count == 1 ? ("is", "its node", "it") : ("are", "their nodes", "them")
        return "\(names.joined(separator: ", ")) \(be) no longer configured by \(node); remove \(pronoun) with "
            + "`capctl devices forget \(names.joined(separator: " "))`, or configure \(pronoun) again"
    }
}
