import CameraKit
import CaptureModel
import DNG
import TimeCode
import TurboJPEG

/// Draws the frames of one stream as JPEGs: a slanted pattern that moves, a block that moves over it, a gray card that
/// stands still, and a time code.
///
/// The same configuration, time code, frame and brightness always give the same bytes.
struct VirtualScene {
    private let grid: TileGrid
    private let color: SceneColor
    private let noise: SeededNoise
    private let frame: TiledJPEG
    private var encoder: TileEncoder
    private var code: CodeTiles
    private var tiles: SceneTiles
    private var light = SceneLight()
    /// Bytes of the largest picture so far, so that the next one is allocated once.
    private var byteCount = 0

    /// - Throws: The encoder's error if it cannot be created.
    init(_ layout: TimeCodeLayout, quality: Int, camera: UInt16, noise: SeededNoise) throws {
        grid = TileGrid(layout)
        color = SceneColor(camera: camera)
        self.noise = noise
        encoder = try TileEncoder(grid, quality: quality)
        code = try CodeTiles(grid, &encoder)
        tiles = try SceneTiles(grid, color, light, noise, &encoder)
        let sample = try encoder.jpeg(SceneTiles.block(grid, color, light))
        guard let frame = TiledJPEG(tile: sample, grid: grid) else { throw UnexpectedJPEG() }
        self.frame = frame
    }

    /// Draws one frame.
    /// - Parameters:
    ///   - code: The time code to draw. Its frame number determines how far the scene has moved.
    ///   - brightness: Factor on the luma of all but the time code; changes in steps of 1/64.
    ///   - whiteBalance: Changes the colors of all but the time code.
    /// - Throws: The encoder's error if it fails.
    mutating func picture(
        _ code: TimeCode, brightness: Double, whiteBalance: WhiteBalance = .neutral
    ) throws -> [UInt8] {
        try show(SceneLight(brightness: brightness, whiteBalance: whiteBalance))
        try self.code.show(code, &encoder)
        var jpeg: [UInt8] = []
        jpeg.reserveCapacity(max(byteCount + byteCount / 16, grid.tileCount * 64))
        jpeg += frame.header
        append(UInt64(code.frameNumber), to: &jpeg)
        // The marker after the last tile is the end-of-image marker.
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

    private mutating func show(_ wanted: SceneLight) throws {
        guard wanted != light else { return }
        tiles = try SceneTiles(grid, color, wanted, noise, &encoder)
        light = wanted
    }
}

/// How the camera sees the scene: all that changes every tile.
struct SceneLight: Hashable {
    /// Factor on the luma, a multiple of 1/64.
    let brightness: Double
    let whiteBalance: WhiteBalance

    /// - Parameter brightness: Is rounded.
    init(brightness: Double = 1, whiteBalance: WhiteBalance = .neutral) {
        self.brightness = (min(max(brightness, 0), 16) * 64).rounded() / 64
        self.whiteBalance = whiteBalance
    }
}

/// The tiles of the time code: `docs/timecode.md` in words of 16 cells. A row of cells consists of equal tiles, so a
/// frame encodes only the rows whose word has changed.
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

    /// Returns the data of the tile in this row of tiles.
    func tile(row: Int) -> [UInt8] {
        rows[row * TileGrid.tileHeight / grid.cellSize].data
    }

    /// Returns a row of cells between black margins. The rest of the tile stays black.
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

/// The sensor's samples of a scene: what a camera with this mosaic delivers instead of the JPEG.
struct VirtualMosaic {
    /// The scene is first drawn as a JPEG of this quality, so that its artifacts stay below the samples' own steps.
    static let sceneQuality = 98

    private let format: VideoFormat
    private let decoder: JPEGDecoder
    private var image = PlanarImage()

    /// - Throws: The decoder's error if it cannot be created.
    init(_ format: VideoFormat) throws {
        self.format = format
        decoder = try JPEGDecoder(maximumPixelCount: .max)
    }

    /// Returns the packed frame of a picture with the format's size.
    /// - Throws: A library's error if it fails.
    mutating func frame(of jpeg: [UInt8]) throws -> [UInt8] {
        guard case .bayer(let order, let bits, let isPacked) = format.pixelFormat.family else { return jpeg }
        try decoder.decodePlanes(jpeg.span, into: &image)
        let strides = image.geometry.strides
        guard strides.count == 3, image.geometry.subsampling == .yuv422 else { throw UnexpectedJPEG() }
        let picture = RawMosaic.Picture(
            lumaStride: strides[0], chromaStride: strides[1], isChromaHalved: true, bytes: image.bytes)
        return try RawMosaic(
            sampling: picture, width: format.width, height: format.height, bits: bits, order: CFAOrder(order)
        ).frame(RawPacking(bits: bits, isPacked: isPacked))
    }
}
