/// The clockwise angle by which the stored picture must be turned to be upright.
public enum Orientation: Int, Hashable, Codable, Sendable, CaseIterable {
    case degrees0 = 0
    case degrees90 = 90
    case degrees180 = 180
    case degrees270 = 270

    /// Returns the value of the EXIF tag Orientation (0x0112).
    /// - Parameter isMirrored: Whether left and right are exchanged in the upright picture.
    public func exifValue(isMirrored: Bool) -> Int {
        switch self {
        case .degrees0: isMirrored ? 2 : 1
        case .degrees90: isMirrored ? 5 : 6
        case .degrees180: isMirrored ? 4 : 3
        case .degrees270: isMirrored ? 7 : 8
        }
    }
}
