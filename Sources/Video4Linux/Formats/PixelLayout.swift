import CVideo4Linux

/// How the pixels of a frame lie in its buffer (`struct v4l2_pix_format`).
public struct PixelLayout: Hashable, Sendable {
    public var format: FourCC
    /// Width in pixels.
    public var width: UInt32
    /// Height in pixels.
    public var height: UInt32
    /// Bytes from the start of one row to the start of the next; 0 for compressed formats.
    public var bytesPerRow: UInt32
    /// Bytes a buffer must hold; of a compressed format the most a frame can take.
    public var byteCount: UInt32
    /// Whether a buffer holds all lines of one picture; false for single fields.
    public var isWholePicture: Bool

    public init(
        format: FourCC, width: UInt32, height: UInt32, bytesPerRow: UInt32, byteCount: UInt32,
        isWholePicture: Bool = true
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.byteCount = byteCount
        self.isWholePicture = isWholePicture
    }

    init(_ format: cv4l_pixel_format) {
        let wholeFields = [CV4L_FIELD_ANY, CV4L_FIELD_NONE, CV4L_FIELD_INTERLACED].map { UInt32($0) }
        self.init(
            format: FourCC(rawValue: format.fourcc), width: format.width, height: format.height,
            bytesPerRow: format.bytes_per_line, byteCount: format.size_image,
            isWholePicture: wholeFields.contains(format.field))
    }
}
