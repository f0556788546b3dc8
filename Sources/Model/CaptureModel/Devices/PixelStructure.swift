/// How the samples of an uncompressed frame lie in memory: its planes, in their order.
public struct PixelStructure: Hashable, Sendable {
    /// One plane: groups of bytes, each for some pixels of a row.
    public struct Plane: Hashable, Sendable {
        /// Pixels of a row that one group covers: 2 where chroma is sampled at half the width.
        public var pixels: Int
        /// Bytes of one group.
        public var bytes: Int
        /// Rows of the picture that one row of the plane covers: 2 where chroma is sampled at half the height.
        public var rows: Int

        public init(pixels: Int = 1, bytes: Int = 1, rows: Int = 1) {
            self.pixels = max(pixels, 1)
            self.bytes = max(bytes, 1)
            self.rows = max(rows, 1)
        }

        /// Bytes of a row without padding; an incomplete group counts in full.
        public func rowBytes(width: Int) -> Int { (width + pixels - 1) / pixels * bytes }

        /// Rows of the plane.
        public func rowCount(height: Int) -> Int { (height + rows - 1) / rows }
    }

    public var planes: [Plane]

    public init(_ planes: [Plane]) {
        self.planes = planes
    }

    /// Sides that are reckoned with; it keeps products of hostile numbers from overflowing.
    public static let sides = 1...65535

    /// Bytes of a packed frame; nil for sides that are not within ``sides``.
    public func byteCount(width: Int, height: Int) -> Int? {
        guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
        return planes.reduce(0) { $0 + $1.rowBytes(width: width) * $1.rowCount(height: height) }
    }
}
