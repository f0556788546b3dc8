/// What is wrong with the bytes of a JPEG, or with the metadata to be written into them.
public enum JPEGProblem: Error, Hashable, Sendable {
    /// The bytes do not begin with `FFD8`.
    case noStartOfImage
    /// The bytes end within the header.
    case truncated(byteCount: Int)
    /// End-of-image marker and data are missing: the frame is torn.
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
        case .noEndOfImage: "The JPEG is torn: the end of its image data is missing."
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
