/// The position of a device on the rig, as its node's configuration states it: any label, such as `left`, `top` or `A1`.
public struct Position: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No position stated. In a selection, it matches any position.
    public static let unspecified = Position(rawValue: "unspecified")

    public var description: String { rawValue }
}
