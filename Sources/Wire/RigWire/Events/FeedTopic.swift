public import CaptureModel

/// What a feed message is published under; subscribers name a prefix of its text.
public enum FeedTopic: Hashable, Sendable, CustomStringConvertible {
    /// `event/<name>`.
    case event(EventName)
    /// `beat`.
    case beat

    /// The prefix that subscribes to every event.
    public static let everyEvent = "event/"

    /// - Returns: nil unless the text is a topic of this version.
    public init?(_ text: String) {
        if text == "beat" {
            self = .beat
        } else if text.hasPrefix(Self.everyEvent) {
            let name = EventName(rawValue: String(text.dropFirst(Self.everyEvent.count)))
            guard name.isWellFormed else { return nil }
            self = .event(name)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .event(let name): Self.everyEvent + name.rawValue
        case .beat: "beat"
        }
    }
}
