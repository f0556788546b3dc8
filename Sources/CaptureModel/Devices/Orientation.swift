/// How the picture must be turned to stand upright: the EXIF orientation of an unmirrored camera, by clockwise angle.
public enum Orientation: Int, Hashable, Codable, Sendable, CaseIterable {
    case degrees0 = 0
    case degrees90 = 90
    case degrees180 = 180
    case degrees270 = 270

    /// The value of the EXIF tag Orientation (0x0112).
    public var exifValue: Int {
        switch self {
        case .degrees0: 1
        case .degrees90: 6
        case .degrees180: 3
        case .degrees270: 8
        }
    }
}
