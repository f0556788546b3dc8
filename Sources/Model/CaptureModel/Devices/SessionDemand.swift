/// A reason for a session to run; an open set of words. A session runs while there is a demand and it is not stopped by command.
public struct SessionDemand: RawRepresentable, Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The configuration keeps the camera running.
    public static let standby = SessionDemand(rawValue: "standby")
    /// It was started by command.
    public static let command = SessionDemand(rawValue: "command")
    /// A viewer is subscribed to the picture.
    public static let preview = SessionDemand(rawValue: "preview")
    /// Clips of a camera use its sound.
    public static let clips = SessionDemand(rawValue: "clips")
    /// A listener is subscribed to the sound.
    public static let listening = SessionDemand(rawValue: "listening")

    public var description: String { rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
