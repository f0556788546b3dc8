import TimeCode
import TurboJPEG

/// Assembles a JPEG from tiles that were encoded as separate images.
///
/// With a restart interval of one tile, the entropy coder restarts at each tile (ITU-T T.81, F.1.1.5.1 and E.1.4). So a
/// tile's data is the same whether it is encoded within the picture or alone.
struct TiledJPEG {
    /// Everything before the first tile's data: markers SOI to SOS.
    let header: [UInt8]

    /// Uses the tables of an encoded tile.
    /// - Returns: nil if `tile` is not a baseline JPEG with one scan.
    init?(tile: [UInt8], grid: TileGrid) {
        guard let scan = Self.scanStart(tile), let frame = Self.segment(0xC0, in: tile, before: scan) else {
            return nil
        }
        guard let startOfScan = Self.segment(0xDA, in: tile, before: scan) else { return nil }
        var header = Array(tile[..<scan])
        header.replaceSubrange(frame + 5..<frame + 9, with: Self.bigEndian(grid.height) + Self.bigEndian(grid.width))
        header.insert(contentsOf: [0xFF, 0xDD, 0, 4] + Self.bigEndian(grid.tileUnits), at: startOfScan)
        self.header = header
    }

    /// Returns the entropy-coded data of an encoded tile, without its markers.
    /// - Returns: nil if `tile` is not a JPEG with one scan.
    static func entropyData(of tile: [UInt8]) -> [UInt8]? {
        guard let start = scanStart(tile), tile.count >= start + 2, tile.suffix(2) == [0xFF, 0xD9] else { return nil }
        return Array(tile[start..<tile.count - 2])
    }

    /// Returns the marker after tile number `index`, counted from 0.
    static func restartMarker(after index: Int) -> UInt8 {
        0xD0 | UInt8(truncatingIfNeeded: index & 7)
    }

    private static func scanStart(_ jpeg: [UInt8]) -> Int? {
        guard let scan = segment(0xDA, in: jpeg, before: jpeg.count) else { return nil }
        let start = scan + 2 + length(jpeg, at: scan + 2)
        return start <= jpeg.count ? start : nil
    }

    /// Returns the start of the segment with this marker.
    private static func segment(_ marker: UInt8, in jpeg: [UInt8], before end: Int) -> Int? {
        var position = 2
        while position + 4 <= end, jpeg[position] == 0xFF {
            if jpeg[position + 1] == marker { return position }
            position += 2 + length(jpeg, at: position + 2)
        }
        return nil
    }

    private static func length(_ jpeg: [UInt8], at position: Int) -> Int {
        Int(jpeg[position]) << 8 | Int(jpeg[position + 1])
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}

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

    /// Returns the tile as a separate JPEG.
    mutating func jpeg(_ tile: TilePixels) throws -> [UInt8] {
        try encoder.encode(
            geometry, y: tile.luma.span, cb: tile.cb.span, cr: tile.cr.span, quality: quality, into: &buffer)
        return buffer
    }

    /// Returns the tile's entropy-coded data.
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

/// The division of a frame into tiles, each an independent restart interval of the JPEG: one MCU row high (8 pixels),
/// and wide enough for the time code, so that a row of the code's cells is in one tile.
struct TileGrid: Hashable {
    /// Width of the frame in pixels.
    let width: Int
    /// Height of the frame in pixels.
    let height: Int
    /// Side of a cell of the time code in pixels.
    let cellSize: Int
    /// Number of tiles side by side.
    let columns: Int
    /// Number of tiles one above the other. The last one may extend beyond the frame.
    let rows: Int
    /// Width of a tile in MCUs of 16 pixels.
    let tileUnits: Int

    static let tileHeight = 8
    static let unitWidth = 16

    var tileWidth: Int { tileUnits * Self.unitWidth }
    var tileCount: Int { columns * rows }
    /// Number of tile rows, in the first column, that show the time code.
    var codeRows: Int { TimeCodeLayout.rows * cellSize / Self.tileHeight }

    init(_ layout: TimeCodeLayout) {
        width = layout.width
        height = layout.height
        cellSize = layout.cellSize
        let units = (layout.width + Self.unitWidth - 1) / Self.unitWidth
        let codeUnits = (layout.codeWidth + Self.unitWidth - 1) / Self.unitWidth
        // The narrowest tile that fits the code and divides the row.
        tileUnits = (codeUnits...units).first { units.isMultiple(of: $0) } ?? units
        columns = units / tileUnits
        rows = (layout.height + Self.tileHeight - 1) / Self.tileHeight
    }
}
