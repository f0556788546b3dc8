import Glibc

/// Finds JPEG images in a stream of bytes, by their markers. What is between two images is skipped: headers of multipart bodies, padding.
///
/// Every byte is looked at once, whatever it is. Memory is bounded by the largest image and one piece. The type is pure.
struct JPEGSplitter: PictureSplitter {
    typealias Found = FoundPicture

    /// Where the next byte is.
    private enum Place {
        case betweenImages
        case amongMarkers
        case inScan
    }

    /// An image of more bytes is torn.
    let largestImage: Int
    /// Bytes that may belong to an image, the earliest first.
    private var bytes: [UInt8] = []
    /// The number of the first of them in the stream.
    private var offset = 0
    /// How far they have been looked at.
    private var position = 0
    private var place = Place.betweenImages
    /// Bytes since the last image that belong to none.
    private(set) var skipped = 0

    init(largestImage: Int = 64 << 20) {
        self.largestImage = largestImage
    }

    /// The number in the stream of the first byte that may belong to an image.
    var start: Int { offset }

    /// The number of bytes that have come.
    var end: Int { offset + bytes.count }

    /// Whether an image has begun and not ended.
    var isWithinImage: Bool { place != .betweenImages }

    /// As many as there are: where an image ends is not known before.
    let wanted = Int.max
    /// nil: each image states its own.
    let format: RawFormat? = nil

    /// Adds bytes of the stream. Call ``next()`` until it returns nil before adding further ones.
    /// - Parameter body: Appends the bytes.
    mutating func add<Result, Failure: Error>(
        _ body: (inout [UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&bytes)
    }

    /// Returns the next image; nil if its end has not come.
    mutating func next() -> Found? {
        while true {
            switch place {
            case .betweenImages: guard findStart() else { return nil }
            case .amongMarkers:
                switch passMarker() {
                case .passed: continue
                case .incomplete: return tooLarge()
                case .end: return image()
                case .wrong: return torn()
                }
            case .inScan: guard findMarker() else { return tooLarge() }
            }
        }
    }

    /// Moves to the next start of an image, and drops what is before it. An image begins with two markers.
    private mutating func findStart() -> Bool {
        while let found = bytes.firstByte(0xFF, from: position) {
            guard found + 2 < bytes.count else {
                drop(to: found)
                return false
            }
            if bytes[found + 1] == 0xD8, bytes[found + 2] == 0xFF {
                drop(to: found)
                (place, position) = (.amongMarkers, 2)
                return true
            }
            position = found + 1
        }
        drop(to: bytes.count)
        return false
    }

    /// Drops bytes that belong to no image.
    private mutating func drop(to count: Int) {
        skipped += count
        consume(count)
    }

    private mutating func consume(_ count: Int) {
        bytes.removeFirst(count)
        offset += count
        position = 0
    }

    private enum Step {
        case passed
        case incomplete
        case end
        case wrong
    }

    /// Passes a marker and its segment.
    private mutating func passMarker() -> Step {
        var after = position
        guard after < bytes.count else { return .incomplete }
        guard bytes[after] == 0xFF else { return .wrong }
        while after < bytes.count, bytes[after] == 0xFF { after += 1 }
        guard after < bytes.count else { return .incomplete }
        switch bytes[after] {
        case 0xD9:
            position = after + 1
            return .end
        // Markers without a segment.
        case 0x01, 0xD0...0xD7:
            position = after + 1
            return .passed
        // A second image begins in this one, or a byte that is none of a marker.
        case 0x00, 0xD8: return .wrong
        case let marker:
            guard after + 2 < bytes.count else { return .incomplete }
            let length = Int(bytes[after + 1]) << 8 | Int(bytes[after + 2])
            guard length >= 2 else { return .wrong }
            guard after + 1 + length <= bytes.count else { return .incomplete }
            position = after + 1 + length
            if marker == 0xDA { place = .inScan }
            return .passed
        }
    }

    /// Moves to the marker after the entropy-coded data, in which 0xFF is followed by 0 or is a restart marker.
    private mutating func findMarker() -> Bool {
        while let found = bytes.firstByte(0xFF, from: position) {
            guard found + 1 < bytes.count else {
                position = found
                return false
            }
            switch bytes[found + 1] {
            case 0x00, 0xD0...0xD7: position = found + 2
            case 0xFF: position = found + 1
            default:
                (place, position) = (.amongMarkers, found)
                return true
            }
        }
        position = bytes.count
        return false
    }

    private mutating func image() -> Found {
        guard position <= largestImage else { return torn() }
        let began = offset
        let image = Array(bytes[..<position])
        consume(position)
        (place, skipped) = (.betweenImages, 0)
        return .image(image, began: began)
    }

    /// Gives an image up whose bytes are too many, though its end has not come.
    private mutating func tooLarge() -> Found? {
        guard bytes.count > largestImage else { return nil }
        position = bytes.count
        return torn()
    }

    /// Gives an image up. What has been looked at of it is not looked at again.
    private mutating func torn() -> Found {
        let began = offset
        consume(position)
        (place, skipped) = (.betweenImages, 0)
        return .torn(began: began)
    }
}

extension [UInt8] {
    /// Returns the index of the next such byte, with the C library's search, which is ten times as fast as a loop without optimization.
    fileprivate func firstByte(_ byte: UInt8, from start: Int) -> Int? {
        unsafe withUnsafeBytes { buffer in
            guard start < buffer.count, let base = buffer.baseAddress else { return nil }
            guard let found = unsafe memchr(base + start, CInt(byte), buffer.count - start) else { return nil }
            return unsafe found - UnsafeMutableRawPointer(mutating: base)
        }
    }
}
