/// Parses the marker segments up to the first scan and collects their definitions.
struct JPEGHeaderParser {
    var segments: [JPEGSegment] = []
    var frame: JPEGFrame?
    var restartInterval = 0
    /// Table class (0 DC, 1 AC) times 16 plus index, as in the file.
    var huffmanTables: Set<UInt8> = []
    private var quantizationTables: Set<Int> = []
    private var scanTables: [UInt8] = []

    mutating func parse(_ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard bytes.count >= 2 else { throw .truncated(byteCount: bytes.count) }
        guard bytes[0] == 0xFF, bytes[1] == JPEGMarker.startOfImage else { throw .noStartOfImage }
        var offset = 2
        while true {
            let segment = try Self.segment(at: offset, in: bytes)
            segments.append(segment)
            try parse(segment, bytes)
            if segment.marker == JPEGMarker.startOfScan { return }
            offset = segment.range.upperBound
        }
    }

    /// Reads marker and length, and checks that the complete segment is within the bytes.
    static func segment(at start: Int, in bytes: Span<UInt8>) throws(JPEGProblem) -> JPEGSegment {
        guard start < bytes.count else { throw .truncated(byteCount: bytes.count) }
        guard bytes[start] == 0xFF else { throw .badSegment(at: start) }
        var position = start + 1
        // Any number of fill bytes may precede a marker's second byte.
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

    private mutating func parse(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        switch segment.marker {
        case JPEGMarker.quantizationTables: try parseQuantizationTables(segment, bytes)
        case JPEGMarker.huffmanTables: try parseHuffmanTables(segment, bytes)
        case JPEGMarker.restartInterval: try parseRestartInterval(segment, bytes)
        case JPEGMarker.startOfScan: try parseScan(segment, bytes)
        case let marker where JPEGMarker.isFrameHeader(marker): try parseFrame(segment, bytes)
        default: break
        }
    }

    private mutating func parseQuantizationTables(
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

    private mutating func parseHuffmanTables(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
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

    private mutating func parseRestartInterval(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard segment.payload.count == 2 else { throw .badSegment(at: segment.range.lowerBound) }
        let start = segment.payload.lowerBound
        restartInterval = Int(bytes[start]) << 8 | Int(bytes[start + 1])
    }

    private mutating func parseFrame(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard segment.marker <= 0xC2 else { throw .unsupportedFrame(marker: segment.marker) }
        guard frame == nil, let header = JPEGFrame(segment, bytes) else {
            throw .badSegment(at: segment.range.lowerBound)
        }
        frame = header
    }

    private mutating func parseScan(_ segment: JPEGSegment, _ bytes: Span<UInt8>) throws(JPEGProblem) {
        guard let frame else { throw .noFrameHeader }
        let start = segment.payload.lowerBound
        guard let first = segment.payload.first, segment.payload.count == 4 + 2 * Int(bytes[first]) else {
            throw .badSegment(at: segment.range.lowerBound)
        }
        let count = Int(bytes[start])
        guard (1...frame.components.count).contains(count) else { throw .badSegment(at: segment.range.lowerBound) }
        for index in 0..<count {
            let selectors = bytes[start + 2 + 2 * index]
            // A first progressive scan codes DC only, and its AC selector has no meaning.
            scanTables.append(selectors >> 4)
            if !frame.isProgressive { scanTables.append(0x10 | selectors & 15) }
        }
    }

    /// Checks that every table that the image needs is defined, or is one of the standard set.
    func checkTables(of frame: JPEGFrame) throws(JPEGProblem) {
        for component in frame.components where !quantizationTables.contains(component.quantizationTable) {
            throw .noQuantizationTable(component.quantizationTable)
        }
        let mayUseStandardTables = huffmanTables.isEmpty && !frame.isProgressive && frame.precision == 8
        let available = mayUseStandardTables ? StandardHuffmanTables.names : huffmanTables
        for name in scanTables where !available.contains(name) { throw .noHuffmanTable(Int(name)) }
    }
}

/// The content of the frame header (SOF).
public struct JPEGFrame: Hashable, Sendable {
    /// One color component.
    public struct Component: Hashable, Sendable {
        /// The component's identifier: 1, 2, 3 for Y, Cb, Cr in most files.
        public let identifier: UInt8
        /// Horizontal sampling factor, 1...4.
        public let horizontalSampling: Int
        /// Vertical sampling factor, 1...4.
        public let verticalSampling: Int
        /// Index of its quantization table, 0...3.
        public let quantizationTable: Int
    }

    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// Bits per sample, 8 or 12.
    public let precision: Int
    /// Whether the image has several scans of increasing detail (SOF2).
    public let isProgressive: Bool
    /// The color components, in file order.
    public let components: [Component]

    /// The number of minimum coded units in a scan of all components.
    public var unitCount: Int {
        // A scan of one component counts its own blocks, regardless of the sampling factors.
        let across = components.count == 1 ? 8 : 8 * (components.map(\.horizontalSampling).max() ?? 1)
        let down = components.count == 1 ? 8 : 8 * (components.map(\.verticalSampling).max() ?? 1)
        return ((width + across - 1) / across) * ((height + down - 1) / down)
    }
}

extension JPEGFrame {
    /// Parses a SOF segment; nil if it violates the standard or does not state the height.
    init?(_ segment: JPEGSegment, _ bytes: Span<UInt8>) {
        let start = segment.payload.lowerBound
        guard segment.payload.count >= 6 else { return nil }
        let count = Int(bytes[start + 5])
        guard (1...4).contains(count), segment.payload.count == 6 + 3 * count else { return nil }
        height = Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        width = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        precision = Int(bytes[start])
        isProgressive = segment.marker == 0xC2
        components = (0..<count).map { Component(at: start + 6 + 3 * $0, in: bytes) }
        guard width > 0, height > 0, precision == 8 || precision == 12, components.allSatisfy(\.isValid) else {
            return nil
        }
    }
}

extension JPEGFrame.Component {
    fileprivate init(at offset: Int, in bytes: Span<UInt8>) {
        identifier = bytes[offset]
        horizontalSampling = Int(bytes[offset + 1] >> 4)
        verticalSampling = Int(bytes[offset + 1] & 15)
        quantizationTable = Int(bytes[offset + 2])
    }

    fileprivate var isValid: Bool {
        (1...4).contains(horizontalSampling) && (1...4).contains(verticalSampling) && quantizationTable < 4
    }
}

/// One marker segment of a JPEG's header.
public struct JPEGSegment: Hashable, Sendable {
    /// The second byte of the marker, such as 0xE1 for APP1.
    public let marker: UInt8
    /// The range of the segment, including marker and fill bytes.
    public let range: Range<Int>
    /// The range of its content, without marker and length.
    public let payload: Range<Int>

    /// Whether it is an application segment (APP0...APP15).
    public var isApplicationData: Bool { (0xE0...0xEF).contains(marker) }
}
