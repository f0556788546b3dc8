/// Every tile of a scene under one brightness, encoded once: a frame shows the tile row of phase `frame + row` in row
/// `row`, so the pattern moves, and a block of one plain tile jumps over it.
struct SceneTiles {
    private let grid: TileGrid
    /// Data by phase and column.
    private let pattern: [[UInt8]]
    private let block: [UInt8]

    init(
        _ grid: TileGrid, _ colour: SceneColour, _ brightness: Double, _ noise: SeededNoise,
        _ encoder: inout TileEncoder
    ) throws {
        self.grid = grid
        let texture = SceneTexture(tileWidth: grid.tileWidth, colour: colour, brightness: brightness, noise: noise)
        var pattern: [[UInt8]] = []
        for phase in 0..<SceneTexture.phases {
            for column in 0..<grid.columns {
                pattern.append(try encoder.data(texture.tile(x: column * grid.tileWidth, phase: phase)))
            }
        }
        self.pattern = pattern
        block = try encoder.data(Self.block(grid, colour, brightness))
    }

    /// A tile of the moving block: plain, in the colour opposite to the scene's.
    static func block(_ grid: TileGrid, _ colour: SceneColour, _ brightness: Double) -> TilePixels {
        let samples = grid.tileWidth * TileGrid.tileHeight
        return TilePixels(
            luma: [UInt8](repeating: SceneTexture.scaled(140, brightness), count: samples),
            cb: [UInt8](repeating: colour.opposite.cb, count: samples / 2),
            cr: [UInt8](repeating: colour.opposite.cr, count: samples / 2))
    }

    /// The tile at this place in frame `frame`.
    func tile(row: Int, column: Int, block place: SceneBlock, frame: UInt64) -> [UInt8] {
        if place.column == column, place.rows.contains(row) { return block }
        let phase = Int((frame &+ UInt64(row)) % UInt64(SceneTexture.phases))
        return pattern[phase * grid.columns + column]
    }
}

/// Where the moving block is: it wanders up and down a column, then down and up the next.
struct SceneBlock {
    let column: Int
    let rows: Range<Int>

    init(frame: UInt64, grid: TileGrid) {
        let height = max(1, grid.rows / 6)
        let travel = max(1, grid.rows - height)
        let step = Int(frame % UInt64(2 * travel))
        let top = step < travel ? step : 2 * travel - step
        column = Int(frame / UInt64(2 * travel) % UInt64(grid.columns))
        rows = top..<top + height
    }
}
