/// The colours of a mosaic's first two samples in its first and second row.
public enum CFAOrder: String, Sendable, CaseIterable {
    case rggb, grbg, gbrg, bggr

    /// The value of the tag CFAPattern: 0 is red, 1 green, 2 blue.
    var pattern: [UInt8] {
        switch self {
        case .rggb: [0, 1, 1, 2]
        case .grbg: [1, 0, 2, 1]
        case .gbrg: [1, 2, 0, 1]
        case .bggr: [2, 1, 1, 0]
        }
    }
}
