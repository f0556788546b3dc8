/// The size at which a JPEG is decoded; smaller is cheaper.
public enum DecodeScale: Int, Sendable, CaseIterable {
    /// Every pixel.
    case full = 1
    /// Half of width and height.
    case half = 2
    /// A quarter of width and height.
    case quarter = 4
    /// An eighth of width and height: one pixel a block.
    case eighth = 8

    /// The scaled length of a side of `length` pixels, rounded up.
    public func applied(to length: Int) -> Int {
        length / rawValue + (length % rawValue == 0 ? 0 : 1)
    }
}
