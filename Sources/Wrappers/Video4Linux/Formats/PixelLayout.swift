import CVideo4Linux

/// How the pixels of a frame lie in its buffer (`struct v4l2_pix_format`, `struct v4l2_pix_format_mplane`).
public struct PixelLayout: Hashable, Sendable {
    /// One memory plane.
    public struct Plane: Hashable, Sendable {
        /// Bytes from the start of one row to the start of the next; 0 for compressed formats. Where several planes of
        /// samples share a memory plane, the distance in the first of them.
        public var bytesPerRow: UInt32
        /// Bytes the memory plane must hold; of a compressed format the most a frame can take.
        public var byteCount: UInt32

        public init(bytesPerRow: UInt32, byteCount: UInt32 = 0) {
            self.bytesPerRow = bytesPerRow
            self.byteCount = byteCount
        }
    }

    /// What the driver says of the range of the samples.
    public enum Range: Hashable, Sendable {
        /// 0 to 255 (`V4L2_QUANTIZATION_FULL_RANGE`, or the color space of JPEG).
        case full
        /// 16 to 235 or 240 (`V4L2_QUANTIZATION_LIM_RANGE`).
        case limited
        /// The format's default: limited for YCbCr, full for RGB.
        case formatsDefault
    }

    public var format: FourCC
    /// Width in pixels.
    public var width: UInt32
    /// Height in pixels.
    public var height: UInt32
    /// Memory planes, at least one.
    public var planes: [Plane]
    public var range: Range
    /// Whether a buffer holds all lines of one picture; false for single fields.
    public var isWholePicture: Bool

    public init(
        format: FourCC, width: UInt32, height: UInt32, planes: [Plane], range: Range = .formatsDefault,
        isWholePicture: Bool = true
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.planes = planes.isEmpty ? [Plane(bytesPerRow: 0)] : planes
        self.range = range
        self.isWholePicture = isWholePicture
    }

    init(_ format: cv4l_pixel_format) {
        let wholeFields = [CV4L_FIELD_ANY, CV4L_FIELD_NONE, CV4L_FIELD_INTERLACED].map { UInt32($0) }
        let planes = fixedArray(format.planes, of: cv4l_plane_format.self, count: format.plane_count)
        self.init(
            format: FourCC(rawValue: format.fourcc), width: format.width, height: format.height,
            planes: planes.map { Plane(bytesPerRow: $0.bytes_per_line, byteCount: $0.size_image) },
            range: Range(quantization: format.quantization, colorspace: format.colorspace),
            isWholePicture: wholeFields.contains(format.field))
    }
}

extension PixelLayout.Range {
    /// Reads `V4L2_QUANTIZATION_*`; without a word of it `V4L2_COLORSPACE_JPEG` means the full range.
    public init(quantization: UInt32, colorspace: UInt32) {
        switch quantization {
        case UInt32(CV4L_QUANTIZATION_FULL_RANGE): self = .full
        case UInt32(CV4L_QUANTIZATION_LIM_RANGE): self = .limited
        default: self = colorspace == UInt32(CV4L_COLORSPACE_JPEG) ? .full : .formatsDefault
        }
    }
}
