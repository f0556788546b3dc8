/// A small picture that is made of every picture in a library.
public enum SmallPicture: String, CaseIterable, Sendable {
    /// A square: the middle of the shorter side.
    case thumbnail
    /// All of it.
    case preview

    /// The longer side of the result at most, pixels. No picture is enlarged.
    public var longerSide: Int {
        switch self {
        case .thumbnail: 256
        case .preview: 1024
        }
    }

    /// JPEG quality, 1 to 100.
    static let quality = 80
}
