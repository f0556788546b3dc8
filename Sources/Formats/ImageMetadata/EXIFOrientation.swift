internal import CPosix

/// How a viewer rotates the stored pixels. The raw value is that of TIFF tag 0x0112.
public enum EXIFOrientation: UInt16, Sendable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Rotated by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored, then rotated by 90° counterclockwise.
    case leftMirrored = 5
    /// Rotated by 90° clockwise.
    case right = 6
    /// Mirrored, then rotated by 90° clockwise.
    case rightMirrored = 7
    /// Rotated by 90° counterclockwise.
    case left = 8
}
