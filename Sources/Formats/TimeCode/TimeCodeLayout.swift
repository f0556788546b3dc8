/// Where the cells of a time code lie in an image of a given size.
///
/// A grid of 18 × 11 square cells in the top left corner: a black margin one cell wide all around, one sync row of 16
/// cells, and eight data rows of 16 cells. `docs/timecode.md` is the specification.
public struct TimeCodeLayout: Hashable, Sendable {
    /// Image width in pixels.
    public let width: Int
    /// Image height in pixels.
    public let height: Int
    /// Side of a cell in pixels: 8, or a multiple of 16 in images of 1280 × 720 and more.
    public let cellSize: Int

    /// Cells in a row, margin included.
    public static let columns = 18
    /// Rows of cells, margin and sync row included.
    public static let rows = 11
    /// Narrowest image that holds a code, in pixels.
    public static let minimumWidth = columns * smallestCell
    /// Lowest image that holds a code, in pixels.
    public static let minimumHeight = rows * smallestCell
    /// The sync row from left to right, most significant bit first, white = 1: eight white and eight black cells.
    public static let syncWord: UInt16 = 0xB2C5
    /// Luma of a black cell.
    public static let black: UInt8 = 16
    /// Luma of a white cell.
    public static let white: UInt8 = 235

    static let smallestCell = 8
    static let largestSide = 65535

    /// Lays out the code for an image of this size in pixels.
    ///
    /// - Throws: ``TimeCodeError/imageTooSmall(width:height:)``, also for sides above 65535.
    public init(width: Int, height: Int) throws(TimeCodeError) {
        guard (Self.minimumWidth...Self.largestSide).contains(width),
            (Self.minimumHeight...Self.largestSide).contains(height)
        else { throw .imageTooSmall(width: width, height: height) }
        self.width = width
        self.height = height
        cellSize = Self.cellSize(width: width, height: height)
    }

    /// Pixels from the image's left edge that the code covers; nothing else may be drawn there, and chroma should be
    /// neutral (128).
    public var codeWidth: Int { Self.columns * cellSize }

    /// Pixels from the image's top edge that the code covers.
    public var codeHeight: Int { Self.rows * cellSize }

    static func cellSize(width: Int, height: Int) -> Int {
        let steps = min(width / 1280, height / 720)
        return steps == 0 ? smallestCell : 16 * steps
    }
}
