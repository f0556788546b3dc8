import TimeCode

/// The tiles of the time code: `docs/timecode.md` in words of 16 cells. A row of cells is a whole number of equal tiles,
/// so a frame encodes only the rows whose word has changed.
struct CodeTiles {
    private let grid: TileGrid
    private let whiteCell: [UInt8]
    private let blackCell: [UInt8]
    private let neutral: [UInt8]
    private var rows: [(word: UInt16, data: [UInt8])]

    init(_ grid: TileGrid, _ encoder: inout TileEncoder) throws {
        self.grid = grid
        whiteCell = [UInt8](repeating: TimeCodeLayout.white, count: grid.cellSize)
        blackCell = [UInt8](repeating: TimeCodeLayout.black, count: grid.cellSize)
        neutral = [UInt8](repeating: 128, count: grid.tileWidth / 2 * TileGrid.tileHeight)
        rows = []
        let margin = try encoder.data(pixels(0))
        let sync = try encoder.data(pixels(TimeCodeLayout.syncWord))
        rows = [(0, margin), (TimeCodeLayout.syncWord, sync)]
        rows += (0..<TimeCodeLayout.rows - 2).map { _ in (0, margin) }
    }

    /// Makes the tiles show `code`.
    mutating func show(_ code: TimeCode, _ encoder: inout TileEncoder) throws {
        for (row, word) in code.words.enumerated() where rows[row + 2].word != word {
            rows[row + 2] = (word, try encoder.data(pixels(word)))
        }
    }

    /// The data of the tile in this row of tiles.
    func tile(row: Int) -> [UInt8] {
        rows[row * TileGrid.tileHeight / grid.cellSize].data
    }

    /// A row of cells between black margins; what the tile has room for beside the code stays black.
    private func pixels(_ word: UInt16) -> TilePixels {
        var line = blackCell
        for bit in (0..<16).reversed() {
            line += word >> UInt16(bit) & 1 == 1 ? whiteCell : blackCell
        }
        while line.count < grid.tileWidth { line += blackCell }
        line.removeLast(line.count - grid.tileWidth)
        var tile = TilePixels(cb: neutral, cr: neutral)
        for _ in 0..<TileGrid.tileHeight { tile.luma += line }
        return tile
    }
}
