/// Every tile of a scene in one light, encoded once. A frame shows the tile row of phase `frame + row` in row
/// `row`, so the pattern moves. A block of one plain tile moves over it, and behind a gray card that stands still.
struct SceneTiles {
    private let grid: TileGrid
    private let cardPlace: SceneCard
    /// Data by phase and column.
    private let pattern: [[UInt8]]
    private let block: [UInt8]
    private let card: [UInt8]

    init(
        _ grid: TileGrid, _ color: SceneColor, _ light: SceneLight, _ noise: SeededNoise,
        _ encoder: inout TileEncoder
    ) throws {
        self.grid = grid
        cardPlace = SceneCard(grid)
        let texture = SceneTexture(tileWidth: grid.tileWidth, color: color, light: light, noise: noise)
        var pattern: [[UInt8]] = []
        for phase in 0..<SceneTexture.phases {
            for column in 0..<grid.columns {
                pattern.append(try encoder.data(texture.tile(x: column * grid.tileWidth, phase: phase)))
            }
        }
        self.pattern = pattern
        block = try encoder.data(Self.block(grid, color, light))
        card = try encoder.data(Self.card(grid, light))
    }

    /// Returns a tile of the moving block: plain, in the color opposite to the scene's.
    static func block(_ grid: TileGrid, _ color: SceneColor, _ light: SceneLight) -> TilePixels {
        plain(grid, luma: 140, color.opposite, light)
    }

    /// Returns a tile of the card, which is the same for all cameras.
    static func card(_ grid: TileGrid, _ light: SceneLight) -> TilePixels {
        plain(grid, luma: SceneCard.luma, .neutral, light)
    }

    private static func plain(
        _ grid: TileGrid, luma: Int, _ color: SceneColor, _ light: SceneLight
    ) -> TilePixels {
        let samples = grid.tileWidth * TileGrid.tileHeight
        var tile = TilePixels(
            luma: [UInt8](repeating: SceneTexture.scaled(luma, light.brightness), count: samples),
            cb: [UInt8](repeating: color.cb, count: samples / 2),
            cr: [UInt8](repeating: color.cr, count: samples / 2))
        light.whiteBalance.apply(luma: &tile.luma, cb: &tile.cb, cr: &tile.cr)
        return tile
    }

    /// Returns the tile at this place in frame `frame`.
    func tile(row: Int, column: Int, block place: SceneBlock, frame: UInt64) -> [UInt8] {
        if cardPlace.columns.contains(column), cardPlace.rows.contains(row) { return card }
        if place.column == column, place.rows.contains(row) { return block }
        let phase = Int((frame &+ UInt64(row)) % UInt64(SceneTexture.phases))
        return pattern[phase * grid.columns + column]
    }
}

/// The place of a gray card in the middle of the scene, which stands still so that cameras can be matched to it and
/// locked: the tiles that cover the middle third of the frame, where matching measures.
struct SceneCard {
    let columns: Range<Int>
    let rows: Range<Int>

    /// The luma of a card that reflects 18 % of the light, as sRGB encodes it.
    static let luma = 118

    init(_ grid: TileGrid) {
        columns = Self.middle(of: grid.width, tile: grid.tileWidth)
        rows = Self.middle(of: grid.height, tile: TileGrid.tileHeight)
    }

    /// Returns the tiles of `tile` pixels that cover the middle third of `length`.
    private static func middle(of length: Int, tile: Int) -> Range<Int> {
        let end = (2 * length + 2) / 3
        return length / 3 / tile..<(end + tile - 1) / tile
    }
}

/// The place of the moving block. It moves up and down a column, then down and up the next.
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

/// The tint of a camera's scene, so that people can distinguish cameras at a glance.
struct SceneColor: Hashable {
    let cb: UInt8
    let cr: UInt8

    /// Twelve hues around the chroma circle, in an order in which neighbors differ.
    private static let hues: [(Int, Int)] = [
        (40, 0), (-20, 35), (-35, -20), (20, 35), (20, -35), (0, 40),
        (-40, 0), (35, 20), (-20, -35), (35, -20), (-35, 20), (0, -40),
    ]

    /// Creates the tint of the scene of camera `number`.
    init(camera number: UInt16) {
        let (cb, cr) = Self.hues[Int(number) % Self.hues.count]
        self.cb = UInt8(clamping: 128 + cb)
        self.cr = UInt8(clamping: 128 + cr)
    }

    private init(cb: UInt8, cr: UInt8) {
        self.cb = cb
        self.cr = cr
    }

    /// No tint.
    static let neutral = SceneColor(cb: 128, cr: 128)

    /// The opposite hue, much stronger: the color of the moving block.
    var opposite: SceneColor {
        SceneColor(cb: UInt8(clamping: 384 - 2 * Int(cb)), cr: UInt8(clamping: 384 - 2 * Int(cr)))
    }
}

/// The pattern that moves through the scene: one long row of pixels that repeats. Every row of every tile is a window
/// of it. Integer arithmetic only, so that every machine makes the same bytes.
struct SceneTexture {
    /// Number of pixels after which the pattern repeats.
    static let period = 512
    /// Number of pixels by which it moves from frame to frame, and from tile row to tile row.
    static let step = 16
    /// Number of frames after which the scene repeats, and so the number of different tile rows.
    static let phases = period / step
    /// Number of pixels by which it moves from pixel row to pixel row, which makes the stripes slanted.
    private static let slant = step / TileGrid.tileHeight

    private let luma: [UInt8]
    private let cb: [UInt8]
    private let cr: [UInt8]
    private let tileWidth: Int

    init(tileWidth: Int, color: SceneColor, light: SceneLight, noise: SeededNoise) {
        self.tileWidth = tileWidth
        let length = Self.period + tileWidth
        var luma = (0..<Self.period).map { Self.luma($0, noise, light.brightness) }
        var cb = (0..<Self.period / 2).map {
            UInt8(clamping: Int(color.cb) + Self.wave(2 * $0, Self.period) * 24 / 128)
        }
        var cr = (0..<Self.period / 2).map {
            UInt8(clamping: Int(color.cr) + Self.wave(2 * $0 + 128, Self.period) * 24 / 128)
        }
        light.whiteBalance.apply(luma: &luma, cb: &cb, cr: &cr)
        self.luma = Self.repeated(luma, to: length)
        self.cb = Self.repeated(cb, to: length / 2)
        self.cr = Self.repeated(cr, to: length / 2)
    }

    /// Returns the tile whose left edge is at `x`, in the row of tiles that shows `phase`.
    func tile(x: Int, phase: Int) -> TilePixels {
        var tile = TilePixels()
        for row in 0..<TileGrid.tileHeight {
            let start = (x + phase * Self.step + row * Self.slant) % Self.period
            tile.luma += luma[start..<start + tileWidth]
            tile.cb += cb[start / 2..<(start + tileWidth) / 2]
            tile.cr += cr[start / 2..<(start + tileWidth) / 2]
        }
        return tile
    }

    private static func luma(_ x: Int, _ noise: SeededNoise, _ brightness: Double) -> UInt8 {
        let grain = Int(noise.bits(at: UInt64(x), stream: 1) & 7) - 4
        let shade = 110 + wave(x, period) * 48 / 128 + wave(x, period / 8) * 20 / 128 + grain
        return scaled(shade, brightness)
    }

    /// Returns a luma value under another exposure, within video range.
    static func scaled(_ luma: Int, _ brightness: Double) -> UInt8 {
        UInt8(clamping: Int(min(max(16 + Double(luma - 16) * brightness, 16), 235)))
    }

    /// Returns a triangle wave from -128 to 128.
    private static func wave(_ x: Int, _ period: Int) -> Int {
        let position = x % period
        return abs(position * 2 - period) * 256 / period - 128
    }

    private static func repeated(_ pattern: [UInt8], to length: Int) -> [UInt8] {
        var row: [UInt8] = []
        while row.count < length { row += pattern }
        return row
    }
}
