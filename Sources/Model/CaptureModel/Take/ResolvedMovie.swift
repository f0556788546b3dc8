/// A camera's movie of a take as it is announced before T.
public struct ResolvedMovie: Hashable, Sendable {
    /// Whether it has sound.
    public var hasSound: Bool
    /// Why it has none; a sentence, nil where it has.
    public var note: String?

    public init(hasSound: Bool, note: String? = nil) {
        self.hasSound = hasSound
        self.note = note
    }
}
