/// Puts a JPEG together from tiles that were encoded as images of their own.
///
/// With a restart interval of one tile, the entropy coder starts afresh at each (ITU-T T.81, F.1.1.5.1 and E.1.4): so a
/// tile's data is the same whether it is encoded within the picture or alone.
struct TiledJPEG {
    /// Everything before the first tile's data: markers SOI to SOS.
    let header: [UInt8]

    /// Takes over the tables of an encoded tile.
    /// - Returns: nil where `tile` is no baseline JPEG with one scan.
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

    /// The entropy-coded data of an encoded tile, without its markers.
    /// - Returns: nil where `tile` is no JPEG with one scan.
    static func entropyData(of tile: [UInt8]) -> [UInt8]? {
        guard let start = scanStart(tile), tile.count >= start + 2, tile.suffix(2) == [0xFF, 0xD9] else { return nil }
        return Array(tile[start..<tile.count - 2])
    }

    /// The marker after tile number `index`, counted from 0.
    static func restartMarker(after index: Int) -> UInt8 {
        0xD0 | UInt8(truncatingIfNeeded: index & 7)
    }

    private static func scanStart(_ jpeg: [UInt8]) -> Int? {
        guard let scan = segment(0xDA, in: jpeg, before: jpeg.count) else { return nil }
        let start = scan + 2 + length(jpeg, at: scan + 2)
        return start <= jpeg.count ? start : nil
    }

    /// Where the segment of this marker begins.
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
