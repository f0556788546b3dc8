/// What sound is to a camera's captures.
public enum AudioPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// Without sound a clip is silent, and says so.
    case optional
    /// Without sound there is no clip.
    case required
}
