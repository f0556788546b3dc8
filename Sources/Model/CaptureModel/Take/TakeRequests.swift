/// A client's request to end a take.
public struct StopTakeRequest: Hashable, Sendable {
    /// nil: the only one that records.
    public var take: ShotID?

    public init(take: ShotID? = nil) {
        self.take = take
    }
}

/// A client's request to set a mark.
public struct MarkTakeRequest: Hashable, Sendable {
    /// nil: the only one that records.
    public var take: ShotID?
    /// Minted by the client; repeating it sets one mark.
    public var mark: UInt64
    /// A text that ``TakeMark/isValid(text:)`` allows.
    public var text: String

    public init(take: ShotID? = nil, mark: UInt64, text: String) {
        self.take = take
        self.mark = mark
        self.text = text
    }
}
