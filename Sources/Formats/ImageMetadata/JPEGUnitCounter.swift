/// Counts the minimum coded units of a JPEG's single scan, by reading its Huffman codes without decoding samples (ITU-T T.81, F.2.2).
struct JPEGUnitCounter {
    /// The Huffman tables of the blocks of one unit, in coding order.
    private var blocks: [(dc: HuffmanCode, ac: HuffmanCode)] = []
    private let limit: Int
    /// Offset of the next byte to be read.
    private(set) var position: Int
    private var bits: UInt8 = 0
    private var bitCount = 0

    /// - Parameters:
    ///   - start: Offset of the first byte of an interval between restart markers.
    ///   - limit: Offset after the last byte that may be read.
    /// - Returns: nil if a table of the scan is invalid.
    init?(_ header: JPEGHeaderParser, _ frame: JPEGFrame, in bytes: Span<UInt8>, from start: Int, to limit: Int) {
        guard let scan = header.segments.last, !frame.isProgressive else { return nil }
        let tables = Self.tables(header, in: bytes)
        for index in frame.components.indices {
            let offset = scan.payload.lowerBound + 1 + 2 * index
            guard offset + 1 < scan.payload.upperBound,
                let component = frame.components.first(where: { $0.identifier == bytes[offset] }),
                let dc = tables[bytes[offset + 1] >> 4], let ac = tables[0x10 | bytes[offset + 1] & 15]
            else { return nil }
            // A scan of one component has units of one block.
            let count = frame.components.count == 1 ? 1 : component.horizontalSampling * component.verticalSampling
            blocks += Array(repeating: (dc, ac), count: count)
        }
        position = start
        self.limit = limit
    }

    private static func tables(_ header: JPEGHeaderParser, in bytes: Span<UInt8>) -> [UInt8: HuffmanCode] {
        guard !header.huffmanTables.isEmpty else {
            let standard = StandardHuffmanTables.segment
            return HuffmanCode.tables(in: standard.span, 4..<standard.count)
        }
        return header.segments.filter { $0.marker == JPEGMarker.huffmanTables }
            .reduce(into: [:]) { tables, segment in
                tables.merge(HuffmanCode.tables(in: bytes, segment.payload)) { $1 }
            }
    }

    /// Reads so many units.
    /// - Returns: Whether all of them are there.
    mutating func skip(units: Int, in bytes: Span<UInt8>) -> Bool {
        for _ in 0..<max(units, 0) {
            for block in blocks.indices {
                guard skip(block, in: bytes) else { return false }
            }
        }
        return true
    }

    private mutating func skip(_ block: Int, in bytes: Span<UInt8>) -> Bool {
        guard let size = symbol(blocks[block].dc, in: bytes), skip(bits: Int(size), in: bytes) else { return false }
        var coefficient = 1
        while coefficient < 64 {
            guard let code = symbol(blocks[block].ac, in: bytes) else { return false }
            let (run, size) = (Int(code >> 4), Int(code & 15))
            if size == 0, run != 15 { break }
            guard skip(bits: size, in: bytes) else { return false }
            coefficient += run + 1
        }
        return coefficient <= 64
    }

    private mutating func symbol(_ table: HuffmanCode, in bytes: Span<UInt8>) -> UInt8? {
        var code = 0
        for length in 1...16 {
            guard let bit = bit(in: bytes) else { return nil }
            code = code << 1 | bit
            if let symbol = table.symbol(code, length: length) { return symbol }
        }
        return nil
    }

    private mutating func skip(bits count: Int, in bytes: Span<UInt8>) -> Bool {
        for _ in 0..<count where bit(in: bytes) == nil { return false }
        return true
    }

    private mutating func bit(in bytes: Span<UInt8>) -> Int? {
        if bitCount == 0 {
            guard position < limit else { return nil }
            bits = bytes[position]
            if bits == 0xFF {
                // A zero is stuffed after it. Anything else is a marker.
                guard position + 1 < limit, bytes[position + 1] == 0 else { return nil }
                position += 1
            }
            position += 1
            bitCount = 8
        }
        bitCount -= 1
        return Int(bits >> UInt8(bitCount)) & 1
    }
}

/// The codes of one Huffman table (ITU-T T.81, C.2).
struct HuffmanCode {
    /// For each length: the first code, the number of codes, and the index of the first code's symbol.
    private var lengths: [(first: Int, count: Int, index: Int)] = []
    private var symbols: [UInt8] = []

    /// Returns the symbol of the code; nil if no code of this length has this value.
    func symbol(_ code: Int, length: Int) -> UInt8? {
        let range = lengths[length - 1]
        let step = code - range.first
        return step >= 0 && step < range.count ? symbols[range.index + step] : nil
    }

    /// Returns the tables that a DHT segment defines, by name: class (0 DC, 1 AC) times 16 plus index.
    /// - Parameter payload: The segment's content, as ``JPEGHeaderParser`` has checked it.
    static func tables(in bytes: Span<UInt8>, _ payload: Range<Int>) -> [UInt8: HuffmanCode] {
        var tables: [UInt8: HuffmanCode] = [:]
        var offset = payload.lowerBound
        while offset + 17 <= payload.upperBound {
            var (table, code) = (HuffmanCode(), 0)
            for length in 1...16 {
                let count = Int(bytes[offset + length])
                table.lengths.append((code, count, table.lengths.reduce(0) { $0 + $1.count }))
                code = (code + count) << 1
            }
            let count = table.lengths.reduce(0) { $0 + $1.count }
            let end = offset + 17 + count
            guard end <= payload.upperBound else { return tables }
            for index in offset + 17..<end { table.symbols.append(bytes[index]) }
            tables[bytes[offset]] = table
            offset = end
        }
        return tables
    }
}
