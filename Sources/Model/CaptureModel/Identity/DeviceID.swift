/// A camera or microphone of the rig, written `node/device`. It stays the same across reboots and re-plugging.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var node: NodeName
    public var device: DeviceName

    public init(node: NodeName, device: DeviceName) {
        self.node = node
        self.device = device
    }

    /// Parses `node/device`.
    public init(_ text: String) throws(InvalidName) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw InvalidName(subject: "device id (node/device)", text: String(text.prefix(64)))
        }
        self.init(node: try NodeName(String(parts[0])), device: try DeviceName(String(parts[1])))
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.node, left.device) < (right.node, right.device)
    }

    public var description: String { "\(node)/\(device)" }

    /// The name of this device's folder in a library or spool. Names contain no dot, so it is unambiguous.
    public var folderName: String { "\(node).\(device)" }
}

extension DeviceID: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
