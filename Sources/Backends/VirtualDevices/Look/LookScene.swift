import Glibc
import TimeCode

/// Draws the target of a camera with a look as a JPEG, with the time code.
///
/// The target consists of plain blocks of one MCU, 16 by 8 pixels. Pictures of equal light are equal but for the time
/// code, so their tiles are kept; the light counts in steps of 1/256 of a power of two.
struct LookScene {
    private let grid: TileGrid
    private let frame: TiledJPEG
    private var encoder: TileEncoder
    private var code: CodeTiles
    private var kept: [Light: [[UInt8]]] = [:]

    /// Pictures that are kept, more than the levels of a flickering light.
    private static let limit = 64

    private struct Light: Hashable {
        var lens: LookLens
        /// The light, as a power of two in 1/256.
        var level: Int
    }

    /// - Throws: The encoder's error if it cannot be created.
    init(_ layout: TimeCodeLayout, quality: Int) throws {
        grid = TileGrid(layout)
        encoder = try TileEncoder(grid, quality: quality)
        code = try CodeTiles(grid, &encoder)
        let plain = TilePixels(
            luma: [UInt8](repeating: 128, count: grid.tileWidth * TileGrid.tileHeight),
            cb: [UInt8](repeating: 128, count: grid.tileWidth / 2 * TileGrid.tileHeight),
            cr: [UInt8](repeating: 128, count: grid.tileWidth / 2 * TileGrid.tileHeight))
        guard let frame = TiledJPEG(tile: try encoder.jpeg(plain), grid: grid) else { throw UnexpectedJPEG() }
        self.frame = frame
    }

    /// Draws one frame.
    /// - Parameter light: The light that the exposure collects and amplifies; 1 shows a white of 100 % as white.
    /// - Throws: The encoder's error if it fails.
    mutating func picture(_ code: TimeCode, _ lens: LookLens, light: Double) throws -> [UInt8] {
        let tiles = try tiles(Light(lens: lens, level: Int((log2(min(max(light, 1e-6), 1e6)) * 256).rounded())))
        try self.code.show(code, &encoder)
        var jpeg = frame.header
        for (index, tile) in tiles.enumerated() {
            let row = index / grid.columns
            jpeg += index % grid.columns == 0 && row < grid.codeRows ? self.code.tile(row: row) : tile
            jpeg.append(0xFF)
            jpeg.append(TiledJPEG.restartMarker(after: index))
        }
        // The marker after the last tile is the end-of-image marker.
        jpeg[jpeg.count - 1] = 0xD9
        return jpeg
    }

    private mutating func tiles(_ light: Light) throws -> [[UInt8]] {
        if let known = kept[light] { return known }
        let colors = LookColors(light.lens, light: exp2(Double(light.level) / 256))
        var tiles: [[UInt8]] = []
        tiles.reserveCapacity(grid.tileCount)
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                tiles.append(try encoder.data(pixels(colors, row, column)))
            }
        }
        if kept.count >= Self.limit { kept = [:] }
        kept[light] = tiles
        return tiles
    }

    private func pixels(_ colors: LookColors, _ row: Int, _ column: Int) -> TilePixels {
        var lines = (luma: [UInt8](), cb: [UInt8](), cr: [UInt8]())
        for unit in 0..<grid.tileUnits {
            let x = Double((column * grid.tileUnits + unit) * TileGrid.unitWidth + TileGrid.unitWidth / 2)
            let y = Double(row * TileGrid.tileHeight + TileGrid.tileHeight / 2)
            let color = colors.pixel(x: x / Double(grid.width), y: y / Double(grid.height))
            lines.luma += [UInt8](repeating: color.luma, count: TileGrid.unitWidth)
            lines.cb += [UInt8](repeating: color.cb, count: TileGrid.unitWidth / 2)
            lines.cr += [UInt8](repeating: color.cr, count: TileGrid.unitWidth / 2)
        }
        var tile = TilePixels()
        for _ in 0..<TileGrid.tileHeight {
            tile.luma += lines.luma
            tile.cb += lines.cb
            tile.cr += lines.cr
        }
        return tile
    }
}

/// The colors of a target in the pictures of one camera in one light.
struct LookColors {
    private let lens: LookLens
    private let factors: [Double]
    /// Encoded values, 0 to 255, of linear light in 1/4096.
    private let curve: [Double]

    private static let steps = 4096

    init(_ lens: LookLens, light: Double) {
        self.lens = lens
        factors = lens.factors.map { $0 * light }
        curve = (0...Self.steps).map { Self.encoded(pow(Double($0) / Double(Self.steps), lens.toneExponent)) }
    }

    /// Returns the color at a place, in shares of width and height, full range as JPEG has it.
    func pixel(x: Double, y: Double) -> (luma: UInt8, cb: UInt8, cr: UInt8) {
        let distance = min(hypot(2 * x - 1, 2 * y - 1) / 2.0.squareRoot(), 1)
        let light = lens.light(atDistance: distance)
        let target = Self.reflectance(lens.target, x, y)
        let rgb = (0..<3).map { encoded(target[$0] * factors[$0] * light * Self.texture(x, y, $0)) }
        let luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]
        return (
            Self.rounded(luma), Self.rounded(128 + (rgb[2] - luma) / 1.772), Self.rounded(128 + (rgb[0] - luma) / 1.402)
        )
    }

    private func encoded(_ light: Double) -> Double {
        let place = min(max(light, 0), 1) * Double(Self.steps)
        let index = min(Int(place), Self.steps - 1)
        return curve[index] + (curve[index + 1] - curve[index]) * (place - Double(index))
    }

    /// Returns the value of linear light as IEC 61966-2-1 encodes it, 0 to 255.
    static func encoded(_ linear: Double) -> Double {
        255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055)
    }

    /// Returns the share of the light that a place of the target reflects: red, green, blue.
    static func reflectance(_ target: VirtualLook.Target, _ x: Double, _ y: Double) -> [Double] {
        switch target {
        case .card:
            if (0.3..<0.7).contains(x), (0.25..<0.75).contains(y) { return [0.18, 0.18, 0.18] }
            return x < 0.5 ? [0.24, 0.18, 0.12] : [0.12, 0.18, 0.24]
        case .patches:
            guard (0.2..<0.8).contains(x), (0.25..<0.75).contains(y) else { return [0.1, 0.1, 0.1] }
            let (column, row) = (min(Int((x - 0.2) / 0.2), 2), y < 0.5 ? 0 : 1)
            return patches[row * 3 + column]
        }
    }

    /// Three grays; colors like skin, leaves and sky.
    private static let patches: [[Double]] = [
        [0.14, 0.14, 0.14], [0.18, 0.18, 0.18], [0.23, 0.23, 0.23], [0.24, 0.17, 0.14], [0.13, 0.18, 0.12],
        [0.14, 0.17, 0.24],
    ]

    /// Returns the unevenness of the target's surface, at most 4 % of each color, so that the steps of the JPEG average out.
    private static func texture(_ x: Double, _ y: Double, _ channel: Int) -> Double {
        let place = UInt64(max(x, 0) * 65_536) << 32 | UInt64(max(y, 0) * 65_536)
        return 1 + (SeededNoise(seed: 1).fraction(at: place, stream: 2 + UInt64(channel)) - 0.5) * 0.08
    }

    private static func rounded(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}
