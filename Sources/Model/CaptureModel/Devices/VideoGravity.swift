/// How a picture is fitted into a smaller box, in AVFoundation's words.
public enum VideoGravity: String, Hashable, Codable, Sendable, CaseIterable {
    /// All of the picture is seen; the box may stay empty at two sides (`AVLayerVideoGravity.resizeAspect`).
    case aspect
    /// The box is full; the picture may lose its edges at two sides (`AVLayerVideoGravity.resizeAspectFill`).
    case aspectFill
}
