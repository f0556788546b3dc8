/// One marker segment of a JPEG's header.
public struct JPEGSegment: Hashable, Sendable {
    /// The second byte of the marker, such as 0xE1 for APP1.
    public let marker: UInt8
    /// Where the segment lies, marker and fill bytes included.
    public let range: Range<Int>
    /// Where its content lies, without marker and length.
    public let payload: Range<Int>

    /// Whether it is an application segment (APP0...APP15).
    public var isApplicationData: Bool { (0xE0...0xEF).contains(marker) }
}
