import CaptureModel

/// The format of a program's raw frames, as their headers state it.
struct RawFormat: Hashable, Sendable {
    var pixelFormat: PixelFormat
    var width: Int
    var height: Int
    var range: SampleRange
    /// The bytes of a frame.
    var byteCount: Int

    /// The bytes of the largest frame.
    static let largest = 128 << 20

    /// Reads a header, without its end: `frame FOURCC WIDTH HEIGHT BYTES RANGE`.
    /// - Throws: A sentence that says what is wrong with it.
    init(header: String) throws(Wrong) {
        let words = header.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0] == "frame", let width = Int(words[2]), let height = Int(words[3]),
            let byteCount = Int(words[4]), let range = SampleRange(rawValue: String(words[5]))
        else {
            throw Wrong("'\(header.excerpt)' is not a header 'frame FOURCC WIDTH HEIGHT BYTES full|limited'")
        }
        guard let pixelFormat = PixelFormat(rawValue: String(words[1])), pixelFormat != .mjpeg else {
            throw Wrong("frames of the format '\(String(words[1]).excerpt)' are not read")
        }
        guard let needed = pixelFormat.byteCount(width: width, height: height), needed <= Self.largest else {
            throw Wrong("frames of \(width)x\(height) are not read; the largest have \(Self.largest >> 20) MiB")
        }
        guard needed == byteCount else {
            throw Wrong("a frame of \(pixelFormat.rawValue) \(width)x\(height) has \(needed) bytes, not \(byteCount)")
        }
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.range = range
        self.byteCount = byteCount
    }

    /// Why a header is refused.
    struct Wrong: Error, Hashable, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }
}
