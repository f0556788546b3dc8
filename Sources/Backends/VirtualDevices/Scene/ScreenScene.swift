import CaptureModel
import Glibc
import ScreenTiming
import TimeCode

/// Draws a screen that fills the picture, as a camera with a rolling shutter sees it, with the time code.
///
/// A row of tiles has one brightness: the share of its exposure in which the screen was white. The tiles of each
/// brightness are encoded once.
struct ScreenScene {
    private let grid: TileGrid
    private let frame: TiledJPEG
    private var encoder: TileEncoder
    private var code: CodeTiles
    private var tiles: [UInt8: [UInt8]] = [:]

    /// The light of a black and of a white screen, of what shows as white at the normal brightness.
    private static let light = (black: 0.005, white: 0.8)

    /// - Throws: The encoder's error if it cannot be created.
    init(_ layout: TimeCodeLayout, quality: Int) throws {
        grid = TileGrid(layout)
        encoder = try TileEncoder(grid, quality: quality)
        code = try CodeTiles(grid, &encoder)
        guard let frame = TiledJPEG(tile: try encoder.jpeg(Self.plain(grid, 128)), grid: grid) else {
            throw UnexpectedJPEG()
        }
        self.frame = frame
    }

    /// Draws one frame.
    /// - Parameter brightness: Factor on the light.
    /// - Throws: The encoder's error if it fails.
    mutating func picture(
        _ code: TimeCode, _ screen: VirtualScreen, _ exposure: Exposure, brightness: Double
    ) throws -> [UInt8] {
        try self.code.show(code, &encoder)
        var jpeg = frame.header
        for row in 0..<grid.rows {
            let tile = try tile(luma(of: row, screen, exposure, brightness))
            for column in 0..<grid.columns {
                jpeg += column == 0 && row < grid.codeRows ? self.code.tile(row: row) : tile
                jpeg.append(0xFF)
                jpeg.append(TiledJPEG.restartMarker(after: row * grid.columns + column))
            }
        }
        // The marker after the last tile is the end-of-image marker.
        jpeg[jpeg.count - 1] = 0xD9
        return jpeg
    }

    private func luma(of row: Int, _ screen: VirtualScreen, _ exposure: Exposure, _ brightness: Double) -> UInt8 {
        let height = (Double(row) + 0.5) * Double(TileGrid.tileHeight) / Double(grid.height) - 0.5
        let late = Duration(clampedMilliseconds: height * screen.rowsMilliseconds - screen.lagMilliseconds)
        let middle = RigTime(nanoseconds: (exposure.midExposure + late).nanoseconds)
        let share = screen.sequence.whiteShare(from: middle - exposure.length / 2, to: middle + exposure.length / 2)
        let light = (Self.light.black + share * (Self.light.white - Self.light.black)) * brightness
        return UInt8(min(max(LookColors.encoded(min(max(light, 0), 1)).rounded(), 0), 255))
    }

    private mutating func tile(_ luma: UInt8) throws -> [UInt8] {
        if let known = tiles[luma] { return known }
        let tile = try encoder.data(Self.plain(grid, luma))
        tiles[luma] = tile
        return tile
    }

    private static func plain(_ grid: TileGrid, _ luma: UInt8) -> TilePixels {
        let samples = grid.tileWidth * TileGrid.tileHeight
        let neutral = [UInt8](repeating: 128, count: samples / 2)
        return TilePixels(luma: [UInt8](repeating: luma, count: samples), cb: neutral, cr: neutral)
    }
}
