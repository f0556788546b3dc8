/// Which part of a picture its thumbnail shows.
public enum ThumbnailShape: String, Hashable, Codable, Sendable, CaseIterable {
    /// All of it.
    case whole
    /// The square of the shorter side in its middle. A square is the same before and after the orientation is applied.
    case square
}
