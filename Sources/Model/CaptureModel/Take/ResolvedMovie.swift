/// A camera's movie of a take, as announced before T.
public struct ResolvedMovie: Hashable, Codable, Sendable {
    /// Whether it has sound.
    public var hasSound: Bool
    /// A sentence that says why it has none; nil if it has sound.
    public var note: String?

    public init(hasSound: Bool, note: String? = nil) {
        self.hasSound = hasSound
        self.note = note
    }

    private enum CodingKeys: String, CodingKey {
        case hasSound = "hasSound"
        case note = "note"
    }
}
