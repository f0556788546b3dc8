import CaptureModel

/// Why a journal's record cannot be read as an event. The event's number is known even so.
public struct UnreadableEvent: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people.
    public var description: String

    init(_ description: String) {
        self.description = description
    }
}
