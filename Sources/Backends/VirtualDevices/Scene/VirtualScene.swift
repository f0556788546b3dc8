import TimeCode

/// Draws the frames of one stream as JPEGs: a slanted pattern that moves, a block that jumps over it, and a time code.
///
/// The same configuration, time code, frame and brightness give the same bytes, always.
struct VirtualScene {
    private let grid: TileGrid
    private let colour: SceneColour
    private let noise: SeededNoise
    private let frame: TiledJPEG
    private var encoder: TileEncoder
    private var code: CodeTiles
    private var tiles: SceneTiles
    private var brightness = 1.0
    /// Of the largest picture so far, so that the next one is allocated once.
    private var byteCount = 0

    /// - Throws: What the encoder says when it cannot be had.
    init(_ layout: TimeCodeLayout, quality: Int, camera: UInt16, noise: SeededNoise) throws {
        grid = TileGrid(layout)
        colour = SceneColour(camera: camera)
        self.noise = noise
        encoder = try TileEncoder(grid, quality: quality)
        code = try CodeTiles(grid, &encoder)
        tiles = try SceneTiles(grid, colour, brightness, noise, &encoder)
        let sample = try encoder.jpeg(SceneTiles.block(grid, colour, brightness))
        guard let frame = TiledJPEG(tile: sample, grid: grid) else { throw UnexpectedJPEG() }
        self.frame = frame
    }

    /// Draws one frame.
    /// - Parameters:
    ///   - code: Drawn in; its frame number says how far the scene has moved.
    ///   - brightness: Factor on the luma of all but the time code; changes in steps of 1/64.
    /// - Throws: What the encoder says when it fails.
    mutating func picture(_ code: TimeCode, brightness: Double) throws -> [UInt8] {
        try light(brightness)
        try self.code.show(code, &encoder)
        var jpeg: [UInt8] = []
        jpeg.reserveCapacity(max(byteCount + byteCount / 16, grid.tileCount * 64))
        jpeg += frame.header
        append(UInt64(code.frameNumber), to: &jpeg)
        // The marker after the last tile is that of the image's end.
        jpeg[jpeg.count - 1] = 0xD9
        byteCount = max(byteCount, jpeg.count)
        return jpeg
    }

    private func append(_ number: UInt64, to jpeg: inout [UInt8]) {
        let block = SceneBlock(frame: number, grid: grid)
        var index = 0
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let isCode = column == 0 && row < grid.codeRows
                jpeg += isCode ? code.tile(row: row) : tiles.tile(row: row, column: column, block: block, frame: number)
                jpeg.append(0xFF)
                jpeg.append(TiledJPEG.restartMarker(after: index))
                index += 1
            }
        }
    }

    private mutating func light(_ wanted: Double) throws {
        let rounded = (min(max(wanted, 0), 16) * 64).rounded() / 64
        guard rounded != brightness else { return }
        tiles = try SceneTiles(grid, colour, rounded, noise, &encoder)
        brightness = rounded
    }
}
