/// Names one rig time line: one boot of one coordinator machine. Rig times of different ids cannot be compared.
public struct RigClockID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
