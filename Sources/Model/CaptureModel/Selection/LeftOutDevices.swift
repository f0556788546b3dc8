/// Devices that a selection means and leaves out, since their nodes do not configure them any more; says what to do.
public struct LeftOutDevices: Hashable, Sendable, CustomStringConvertible {
    /// At least one, in order.
    public let devices: [DeviceID]

    /// nil where there are none.
    public init?(_ devices: [DeviceID]) {
        guard !devices.isEmpty else { return nil }
        self.devices = devices
    }

    public var description: String {
        let names = devices.map(\.description)
        let (be, node, pronoun) = devices.count == 1 ? ("is", "its node", "it") : ("are", "their nodes", "them")
        return "\(names.joined(separator: ", ")) \(be) not configured by \(node) any more; remove \(pronoun) with "
            + "`capctl devices forget \(names.joined(separator: " "))`, or put \(pronoun) back"
    }
}
