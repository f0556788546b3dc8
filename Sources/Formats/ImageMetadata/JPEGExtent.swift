/// The extent of the JPEG image at the beginning of some bytes, for files of consecutive images.
public enum JPEGExtent: Hashable, Sendable {
    /// The number of bytes of the image, including its end-of-image marker.
    case whole(byteCount: Int)
    /// The bytes end within the image.
    case unfinished

    /// Follows the markers from the start of the image to its end. This costs about a nanosecond per byte and decodes nothing.
    ///
    /// Images inside segments, such as thumbnails, are skipped. ``JPEGStructure`` checks the content of the segments; this does not.
    /// - Parameter bytes: Begin with the image. Bytes after it are not read.
    /// - Throws: ``JPEGProblem`` if the bytes are not a JPEG image, whatever may follow.
    public init(of bytes: Span<UInt8>) throws(JPEGProblem) {
        do throws(JPEGProblem) {
            self = .whole(byteCount: try Self.end(of: bytes))
        } catch {
            guard case .truncated = error else { throw error }
            self = .unfinished
        }
    }

    /// Finds the image in an array; see ``init(of:)-(Span<UInt8>)``.
    public init(of bytes: [UInt8]) throws(JPEGProblem) {
        try self.init(of: bytes.span)
    }

    private static func end(of bytes: Span<UInt8>) throws(JPEGProblem) -> Int {
        guard bytes.count >= 2 else { throw .truncated(byteCount: bytes.count) }
        guard bytes[0] == 0xFF, bytes[1] == JPEGMarker.startOfImage else { throw .noStartOfImage }
        var offset = 2
        while true {
            let segment = try JPEGHeaderParser.segment(at: offset, in: bytes)
            offset = segment.range.upperBound
            guard segment.marker == JPEGMarker.startOfScan else { continue }
            offset = try endOfScan(from: offset, in: bytes)
            if bytes[offset + 1] == JPEGMarker.endOfImage { return offset + 2 }
        }
    }

    /// Returns the offset of the first marker that is not part of a scan's data. Both of its bytes are present.
    private static func endOfScan(from start: Int, in bytes: Span<UInt8>) throws(JPEGProblem) -> Int {
        var offset = start
        while offset + 1 < bytes.count {
            guard bytes[offset] == 0xFF else {
                offset += 1
                continue
            }
            switch bytes[offset + 1] {
            case 0, JPEGMarker.restarts: offset += 2
            case 0xFF: offset += 1
            case JPEGMarker.startOfImage: throw .unexpectedMarker(JPEGMarker.startOfImage, at: offset)
            default: return offset
            }
        }
        throw .truncated(byteCount: bytes.count)
    }
}

/// Second bytes of the markers that are used here (ITU-T T.81, table B.1).
enum JPEGMarker {
    static let startOfImage: UInt8 = 0xD8
    static let endOfImage: UInt8 = 0xD9
    static let startOfScan: UInt8 = 0xDA
    static let quantizationTables: UInt8 = 0xDB
    static let restartInterval: UInt8 = 0xDD
    static let huffmanTables: UInt8 = 0xC4
    static let jpegExtension: UInt8 = 0xC8
    static let arithmeticConditioning: UInt8 = 0xCC
    static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
    static let app0: UInt8 = 0xE0
    static let app1: UInt8 = 0xE1

    /// Returns whether the marker is a start of frame, of any process.
    static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != huffmanTables && marker != jpegExtension
            && marker != arithmeticConditioning
    }

    /// Returns whether the marker has no length. A header must not contain such a marker.
    static func standsAlone(_ marker: UInt8) -> Bool {
        marker <= 0x01 || (0xD0...0xD9).contains(marker) || marker == 0xFF
    }
}

/// What is wrong with the bytes of a JPEG, or with the metadata to be written into them.
public enum JPEGProblem: Error, Equatable, Sendable {
    /// The bytes do not begin with `FFD8`.
    case noStartOfImage
    /// The bytes end within the header.
    case truncated(byteCount: Int)
    /// The last bytes, except zero padding, are not `FFD9`: the frame is torn.
    case noEndOfImage
    /// There is no frame header (SOF) before the scan, so the size is unknown.
    case noFrameHeader
    /// The image ends before a scan begins.
    case noScan
    /// A component's quantization table is not defined.
    case noQuantizationTable(Int)
    /// The header defines some Huffman tables, but not one that the scan uses.
    case noHuffmanTable(Int)
    /// Lossless, hierarchical or arithmetic coding, which no supported camera sends. The value is the SOF marker's code.
    case unsupportedFrame(marker: UInt8)
    /// A segment at this offset violates the standard.
    case badSegment(at: Int)
    /// A marker that entropy-coded data cannot contain: two frames are spliced, or bytes are lost.
    case unexpectedMarker(UInt8, at: Int)
    /// Restart markers are out of order, or their number does not match the frame's size.
    case restartMarkersMissing(at: Int)
    /// The Exif block would exceed the 65533 bytes of a segment.
    case metadataTooLarge(byteCount: Int)
}

extension JPEGProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noStartOfImage: "The bytes are not a JPEG: no start-of-image marker."
        case .truncated(let count): "The JPEG's header is cut off after \(count) bytes."
        case .noEndOfImage: "The JPEG is torn: no end-of-image marker at its end."
        case .noFrameHeader: "The JPEG has no frame header before its scan."
        case .noScan: "The JPEG ends before its scan begins."
        case .noQuantizationTable(let index): "The JPEG lacks quantization table \(index)."
        case .noHuffmanTable(let index): "The JPEG lacks Huffman table \(index)."
        case .unsupportedFrame(let marker): "The JPEG's coding process SOF\(marker & 0x0F) is not supported."
        case .badSegment(let offset): "The JPEG has a malformed segment at byte \(offset)."
        case .unexpectedMarker(let marker, let offset):
            "The JPEG's image data holds marker \(marker) at byte \(offset), where none may be."
        case .restartMarkersMissing(let offset): "The JPEG's restart markers are incomplete at byte \(offset)."
        case .metadataTooLarge(let count): "The Exif block of \(count) bytes does not fit a JPEG segment."
        }
    }
}

/// A still as a sequence of inserted bytes and pieces of the camera's frame, so that pixels are copied only once, when
/// the still is written.
public struct JPEGStill: Hashable, Sendable {
    /// A piece of the still.
    public enum Piece: Hashable, Sendable {
        /// Bytes that the camera did not send.
        case inserted([UInt8])
        /// Bytes of the camera's frame, by offset.
        case original(Range<Int>)

        /// Number of bytes.
        public var count: Int {
            switch self {
            case .inserted(let bytes): bytes.count
            case .original(let range): range.count
            }
        }
    }

    /// The pieces in file order.
    public private(set) var pieces: [Piece] = []
    /// The frame's size and components.
    public let frame: JPEGFrame

    init(frame: JPEGFrame) { self.frame = frame }

    /// The number of bytes of the complete still.
    public var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

    mutating func insert(_ bytes: [UInt8]) {
        pieces.append(.inserted(bytes))
    }

    mutating func keep(_ range: Range<Int>) {
        if case .original(let last) = pieces.last, last.upperBound == range.lowerBound {
            pieces[pieces.count - 1] = .original(last.lowerBound..<range.upperBound)
        } else {
            pieces.append(.original(range))
        }
    }

    /// Appends the still's bytes.
    ///
    /// - Parameters:
    ///   - output: Receives ``byteCount`` bytes after its content.
    ///   - original: The frame from which the still was made.
    /// - Throws: ``JPEGProblem/truncated(byteCount:)`` if `original` is shorter than that frame; `output` is then unchanged.
    public func write(into output: inout [UInt8], original: Span<UInt8>) throws(JPEGProblem) {
        for case .original(let range) in pieces where range.upperBound > original.count {
            throw .truncated(byteCount: original.count)
        }
        output.reserveCapacity(output.count + byteCount)
        for piece in pieces {
            switch piece {
            case .inserted(let bytes): output.append(contentsOf: bytes)
            case .original(let range): output.append(copying: original.extracting(range))
            }
        }
    }
}

extension [UInt8] {
    /// Appends in one copy. A loop over the span would cost milliseconds per frame in unoptimised builds.
    mutating func append(copying bytes: Span<UInt8>) {
        // The pointer is used only within the closure, while the span is borrowed.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
