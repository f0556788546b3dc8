/// The pattern that moves through the scene: one long row of pixels that repeats, of which every row of every tile is a
/// window. Integer arithmetic only, so that every machine makes the same bytes.
struct SceneTexture {
    /// Pixels after which the pattern repeats.
    static let period = 512
    /// Pixels by which it moves from frame to frame, and from tile row to tile row.
    static let step = 16
    /// Frames after which the scene repeats, and so the number of different tile rows.
    static let phases = period / step
    /// Pixels by which it moves from pixel row to pixel row, which makes the stripes slanted.
    private static let slant = step / TileGrid.tileHeight

    private let luma: [UInt8]
    private let cb: [UInt8]
    private let cr: [UInt8]
    private let tileWidth: Int

    /// - Parameter brightness: Factor on the luma.
    init(tileWidth: Int, colour: SceneColour, brightness: Double, noise: SeededNoise) {
        self.tileWidth = tileWidth
        let length = Self.period + tileWidth
        let luma = (0..<Self.period).map { Self.luma($0, noise, brightness) }
        let cb = (0..<Self.period / 2).map {
            UInt8(clamping: Int(colour.cb) + Self.wave(2 * $0, Self.period) * 24 / 128)
        }
        let cr = (0..<Self.period / 2).map {
            UInt8(clamping: Int(colour.cr) + Self.wave(2 * $0 + 128, Self.period) * 24 / 128)
        }
        self.luma = Self.repeated(luma, to: length)
        self.cb = Self.repeated(cb, to: length / 2)
        self.cr = Self.repeated(cr, to: length / 2)
    }

    /// The tile whose left edge is at `x`, in the row of tiles that shows `phase`.
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

    /// Luma under another exposure, kept within video range.
    static func scaled(_ luma: Int, _ brightness: Double) -> UInt8 {
        UInt8(clamping: Int(min(max(16 + Double(luma - 16) * brightness, 16), 235)))
    }

    /// A triangle wave from -128 to 128.
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
