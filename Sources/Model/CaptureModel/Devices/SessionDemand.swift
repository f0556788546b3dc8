/// What needs a session to run: an open set of words. A session runs while anything needs it and nobody has stopped it.
public struct SessionDemand: RawRepresentable, Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The configuration says that the camera always runs.
    public static let standby = SessionDemand(rawValue: "standby")
    /// Somebody asked for it.
    public static let command = SessionDemand(rawValue: "command")
    /// Somebody looks at the picture.
    public static let preview = SessionDemand(rawValue: "preview")
    /// Clips of a camera have its sound.
    public static let clips = SessionDemand(rawValue: "clips")
    /// Somebody listens to the sound.
    public static let listening = SessionDemand(rawValue: "listening")

    public var description: String { rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
