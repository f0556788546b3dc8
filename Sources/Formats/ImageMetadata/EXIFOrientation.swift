/// How a viewer turns the stored pixels; the raw value is that of TIFF tag 0x0112.
public enum EXIFOrientation: UInt16, Sendable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored, then turned by 90° counterclockwise.
    case leftMirrored = 5
    /// To be turned by 90° clockwise.
    case right = 6
    /// Mirrored, then turned by 90° clockwise.
    case rightMirrored = 7
    /// To be turned by 90° counterclockwise.
    case left = 8
}
