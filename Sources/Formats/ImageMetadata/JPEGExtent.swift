/// How far the JPEG image that begins a run of bytes reaches; for files of images one after another.
public enum JPEGExtent: Hashable, Sendable {
    /// The image's bytes, its end-of-image marker included.
    case whole(byteCount: Int)
    /// The bytes end within the image.
    case unfinished

    /// Follows the markers from the start of the image to its end; costs about a nanosecond a byte, and decodes nothing.
    ///
    /// Images inside segments, such as thumbnails, are passed over. What the markers say is checked by
    /// ``JPEGStructure``, not here.
    /// - Parameter bytes: Begin with the image; what follows it is not looked at.
    /// - Throws: ``JPEGProblem`` where the bytes are no JPEG image, however many may follow.
    public init(of bytes: Span<UInt8>) throws(JPEGProblem) {
        do throws(JPEGProblem) {
            self = .whole(byteCount: try Self.end(of: bytes))
        } catch {
            guard case .truncated = error else { throw error }
            self = .unfinished
        }
    }

    /// The image in an array; see ``init(of:)-(Span<UInt8>)``.
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

    /// Where the first marker stands that is no part of a scan's data: both of its bytes are there.
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
