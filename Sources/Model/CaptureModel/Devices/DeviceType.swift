/// The type of a device as its node's configuration assigns it: an open set of words such as `wide`, `telephoto`,
/// `external`, `microphone`.
public struct DeviceType: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let wide = DeviceType(rawValue: "wide")
    public static let external = DeviceType(rawValue: "external")
    public static let microphone = DeviceType(rawValue: "microphone")

    public var description: String { rawValue }
}
