import TimeCode

/// How a frame is cut into tiles, each an independent restart interval of the JPEG: one MCU row high (8 pixels), and wide
/// enough for the time code, so that a row of the code's cells lies in one tile.
struct TileGrid: Hashable {
    /// Width of the frame in pixels.
    let width: Int
    /// Height of the frame in pixels.
    let height: Int
    /// Side of a cell of the time code in pixels.
    let cellSize: Int
    /// Tiles side by side.
    let columns: Int
    /// Tiles one above the other; the last one may reach beyond the frame.
    let rows: Int
    /// Width of a tile in MCUs of 16 pixels.
    let tileUnits: Int

    static let tileHeight = 8
    static let unitWidth = 16

    var tileWidth: Int { tileUnits * Self.unitWidth }
    var tileCount: Int { columns * rows }
    /// Rows of tiles, in the first column, that show the time code.
    var codeRows: Int { TimeCodeLayout.rows * cellSize / Self.tileHeight }

    init(_ layout: TimeCodeLayout) {
        width = layout.width
        height = layout.height
        cellSize = layout.cellSize
        let units = (layout.width + Self.unitWidth - 1) / Self.unitWidth
        let codeUnits = (layout.codeWidth + Self.unitWidth - 1) / Self.unitWidth
        // The narrowest tile that holds the code and divides the row.
        tileUnits = (codeUnits...units).first { units.isMultiple(of: $0) } ?? units
        columns = units / tileUnits
        rows = (layout.height + Self.tileHeight - 1) / Self.tileHeight
    }
}
