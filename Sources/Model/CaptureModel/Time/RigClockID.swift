/// The name of a rig time line, which is one boot of the coordinator's machine. Rig times of different ids cannot be compared.
public struct RigClockID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
