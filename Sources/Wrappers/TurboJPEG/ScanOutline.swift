/// How many scans a JPEG has, found by following its markers as libjpeg does, bytes that belong nowhere passed over.
///
/// libjpeg decodes an image in one scan row by row. Of one in several it keeps every coefficient, two bytes each, and goes
/// through all of them again with each scan, however few bytes the file has. Costs the header's length of an image in one
/// scan, else at most the file's.
struct ScanOutline {
    /// Whether the coefficients are kept.
    private(set) var hasSeveral = false
    /// Scans of an image that has several; counted no further than asked for.
    private(set) var count = 0

    private static let (endOfImage, startOfScan): (UInt8, UInt8) = (0xD9, 0xDA)
    private static let progressiveFrames: Set<UInt8> = [0xC2, 0xCA]
    private static let sequentialFrames: Set<UInt8> = [0xC0, 0xC1, 0xC9]

    /// - Parameters:
    ///   - jpeg: Untrusted; what is no JPEG has no scans.
    ///   - limit: Where counting stops.
    init(of jpeg: Span<UInt8>, limit: Int) {
        var components: UInt8 = 0
        // Behind the start of the image, which libjpeg wants to be the first two bytes.
        var offset = 2
        while let marker = Self.nextMarker(in: jpeg, from: &offset), marker != Self.endOfImage {
            // Between them stand markers without a length, restarts above all.
            guard marker >= 0xC0, !(0xD0...0xD8).contains(marker) else { continue }
            guard offset + 2 < jpeg.count else { return }
            if Self.progressiveFrames.contains(marker) { hasSeveral = true }
            if Self.sequentialFrames.contains(marker), offset + 7 < jpeg.count { components = jpeg[offset + 7] }
            if marker == Self.startOfScan {
                hasSeveral = hasSeveral || jpeg[offset + 2] < components
                count += 1
                guard hasSeveral, count < limit else { return }
            }
            offset += max(Int(jpeg[offset]) << 8 | Int(jpeg[offset + 1]), 2)
        }
    }

    /// The second byte of the marker that comes next, and the offset behind it.
    private static func nextMarker(in jpeg: Span<UInt8>, from offset: inout Int) -> UInt8? {
        while offset + 1 < jpeg.count {
            let (byte, next) = (jpeg[offset], jpeg[offset + 1])
            offset += 1
            // A zero behind it makes it data, and any number of its like may stand before a marker's second byte.
            guard byte == 0xFF, next != 0, next != 0xFF else { continue }
            offset += 1
            return next
        }
        return nil
    }
}
