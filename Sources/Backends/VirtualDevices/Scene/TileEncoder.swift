import TurboJPEG

/// Encodes tiles of one size and quality.
struct TileEncoder {
    private let encoder: JPEGEncoder
    private let geometry: PlaneGeometry
    private let quality: Int
    private var buffer: [UInt8] = []

    init(_ grid: TileGrid, quality: Int) throws {
        encoder = try JPEGEncoder()
        geometry = PlaneGeometry(width: grid.tileWidth, height: TileGrid.tileHeight, subsampling: .yuv422)
        self.quality = quality
    }

    /// The tile as a JPEG of its own.
    mutating func jpeg(_ tile: TilePixels) throws -> [UInt8] {
        try encoder.encode(
            geometry, y: tile.luma.span, cb: tile.cb.span, cr: tile.cr.span, quality: quality, into: &buffer)
        return buffer
    }

    /// The tile's entropy-coded data.
    mutating func data(_ tile: TilePixels) throws -> [UInt8] {
        guard let data = TiledJPEG.entropyData(of: try jpeg(tile)) else { throw UnexpectedJPEG() }
        return data
    }
}

/// The pixels of a tile, 4:2:2, rows tightly packed.
struct TilePixels {
    var luma: [UInt8] = []
    var cb: [UInt8] = []
    var cr: [UInt8] = []
}

/// The encoder's output is not built as this code knows it.
struct UnexpectedJPEG: Error, CustomStringConvertible {
    var description: String { "libjpeg-turbo made a JPEG of an unexpected structure; a version 2 library is needed" }
}
