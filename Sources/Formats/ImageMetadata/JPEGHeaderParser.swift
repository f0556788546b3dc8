/// Walks the marker segments up to the first scan and collects what they define.
struct JPEGHeaderParser {
    var segments: [JPEGSegment] = []
    var frame: JPEGFrame?
    var restartInterval = 0
    /// Table class (0 DC, 1 AC) times 16 plus index, as in the file.
    var huffmanTables: Set<UInt8> = []
    private var quantizationTables: Set<Int> = []
    private var scanTables: [UInt8] = []

    mutating func parse(_ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == JPEGMarker.startOfImage else { throw .noStartOfImage }
        var offset = 2
        while true {
            let segment = try Self.segment(at: offset, in: bytes)
            segments.append(segment)
            try take(segment, bytes)
            if segment.marker == JPEGMarker.startOfScan { return }
            offset = segment.range.upperBound
        }
    }

    /// Reads marker and length, making sure that the whole segment lies within the bytes.
    static func segment(at start: Int, in bytes: Span<UInt8>) throws(JPEGProblem) -> JPEGSegment {
        guard start < bytes.count else { throw .truncated(byteCount: bytes.count) }
        guard bytes[start] == 0xFF else { throw .badSegment(at: start) }
        var position = start + 1
        // Any number of fill bytes may stand before a marker's second byte.
        while position < bytes.count && bytes[position] == 0xFF { position += 1 }
        guard position < bytes.count else { throw .truncated(byteCount: bytes.count) }
        let marker = bytes[position]
        if marker == JPEGMarker.endOfImage { throw .noScan }
        guard !JPEGMarker.standsAlone(marker) else { throw .badSegment(at: start) }
        guard position + 2 < bytes.count else { throw .truncated(byteCount: bytes.count) }
        let length = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
        guard length >= 2 else { throw .badSegment(at: start) }
        let end = position + 1 + length
        guard end <= bytes.count else { throw .truncated(byteCount: bytes.count) }
        return JPEGSegment(marker: marker, range: start..<end, payload: position + 3..<end)
    }

    private mutating func take(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        switch segment.marker {
        case JPEGMarker.quantizationTables: try takeQuantizationTables(segment, bytes)
        case JPEGMarker.huffmanTables: try takeHuffmanTables(segment, bytes)
        case JPEGMarker.restartInterval: try takeRestartInterval(segment, bytes)
        case JPEGMarker.startOfScan: try takeScan(segment, bytes)
        case let marker where JPEGMarker.isFrameHeader(marker): try takeFrame(segment, bytes)
        default: break
        }
    }

    private mutating func takeQuantizationTables(
        _ segment: JPEGSegment, _ bytes: Span<UInt8>
    ) throws(JPEGProblem) {
        var offset = segment.payload.lowerBound
        while offset < segment.payload.upperBound {
            let (precision, index) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
            offset += 1 + (precision == 0 ? 64 : 128)
            guard precision <= 1, index < 4, offset <= segment.payload.upperBound else {
                throw .badSegment(at: segment.range.lowerBound)
            }
            quantizationTables.insert(index)
        }
    }

    private mutating func takeHuffmanTables(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        var offset = segment.payload.lowerBound
        while offset < segment.payload.upperBound {
            guard offset + 17 <= segment.payload.upperBound else { throw .badSegment(at: segment.range.lowerBound) }
            let name = bytes[offset]
            let symbols = (1...16).reduce(0) { $0 + Int(bytes[offset + $1]) }
            offset += 17 + symbols
            guard name >> 4 <= 1, name & 15 < 4, symbols <= 256, offset <= segment.payload.upperBound else {
                throw .badSegment(at: segment.range.lowerBound)
            }
            huffmanTables.insert(name)
        }
    }

    private mutating func takeRestartInterval(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard segment.payload.count == 2 else { throw .badSegment(at: segment.range.lowerBound) }
        let start = segment.payload.lowerBound
        restartInterval = Int(bytes[start]) << 8 | Int(bytes[start + 1])
    }

    private mutating func takeFrame(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard segment.marker <= 0xC2 else { throw .unsupportedFrame(marker: segment.marker) }
        guard frame == nil, let header = JPEGFrame(segment, bytes) else {
            throw .badSegment(at: segment.range.lowerBound)
        }
        frame = header
    }

    private mutating func takeScan(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard let frame else { throw .noFrameHeader }
        let start = segment.payload.lowerBound
        guard let first = segment.payload.first, segment.payload.count == 4 + 2 * Int(bytes[first]) else {
            throw .badSegment(at: segment.range.lowerBound)
        }
        let count = Int(bytes[start])
        guard (1...frame.components.count).contains(count) else { throw .badSegment(at: segment.range.lowerBound) }
        for index in 0..<count {
            let selectors = bytes[start + 2 + 2 * index]
            // A first progressive scan codes DC only; its AC selector means nothing.
            scanTables.append(selectors >> 4)
            if !frame.isProgressive { scanTables.append(0x10 | selectors & 15) }
        }
    }

    /// Makes sure that every table the image needs is there, or is one of the standard set.
    func checkTables(of frame: JPEGFrame) throws(JPEGProblem) {
        for component in frame.components where !quantizationTables.contains(component.quantizationTable) {
            throw .noQuantizationTable(component.quantizationTable)
        }
        let mayUseStandardTables = huffmanTables.isEmpty && !frame.isProgressive && frame.precision == 8
        let available = mayUseStandardTables ? StandardHuffmanTables.names : huffmanTables
        for name in scanTables where !available.contains(name) { throw .noHuffmanTable(Int(name)) }
    }
}
