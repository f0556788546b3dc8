/// Whether a capture has a companion clip, as a shot asks for it.
public enum LivePhotoRequest: String, Hashable, Codable, Sendable, CaseIterable {
    /// Of cameras that can take one at that moment; of the others the photo alone, with the reason in the resolved
    /// settings.
    case whereEnabled
    /// Of every camera: one that cannot take it is refused before T.
    case required
}
