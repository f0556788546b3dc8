/// A kind of small picture, made of every picture in a library.
public enum SmallPicture: String, Hashable, CaseIterable, Sendable {
    /// A square from the middle, as large as the shorter side.
    case thumbnail
    /// The complete picture.
    case preview

    /// The maximum length of the longer side of the result, in pixels. No picture is enlarged.
    public var longerSide: Int {
        switch self {
        case .thumbnail: 256
        case .preview: 1024
        }
    }

    /// The longest JPEG of either kind, in bytes. White noise without subsampling has less.
    public static let byteLimit = 2 << 20
}
