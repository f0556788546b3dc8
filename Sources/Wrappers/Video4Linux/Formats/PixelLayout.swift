import CVideo4Linux

/// The layout of a frame's pixels in its buffer (`struct v4l2_pix_format`, `struct v4l2_pix_format_mplane`).
public struct PixelLayout: Hashable, Sendable {
    /// One memory plane.
    public struct Plane: Hashable, Sendable {
        /// Bytes from the start of one row to the start of the next; 0 for compressed formats. If several planes of samples share a memory
        /// plane, the distance in the first of them.
        public var bytesPerRow: UInt32
        /// The required size of the memory plane in bytes; for a compressed format the maximum size of a frame.
        public var byteCount: UInt32

        public init(bytesPerRow: UInt32, byteCount: UInt32 = 0) {
            self.bytesPerRow = bytesPerRow
            self.byteCount = byteCount
        }
    }

    /// The range of the samples, as reported by the driver.
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
    /// Whether a buffer contains all lines of one picture; false for single fields.
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
    /// Reads `V4L2_QUANTIZATION_*`. If it is the default, `V4L2_COLORSPACE_JPEG` means the full range.
    public init(quantization: UInt32, colorspace: UInt32) {
        switch quantization {
        case UInt32(CV4L_QUANTIZATION_FULL_RANGE): self = .full
        case UInt32(CV4L_QUANTIZATION_LIM_RANGE): self = .limited
        default: self = colorspace == UInt32(CV4L_COLORSPACE_JPEG) ? .full : .formatsDefault
        }
    }
}

/// A pixel format that a device offers.
public struct FormatDescription: Hashable, Sendable {
    public var format: FourCC
    /// The driver's description, such as `Motion-JPEG`.
    public var name: String

    public init(format: FourCC, name: String) {
        self.format = format
        self.name = name
    }

    init(_ description: cv4l_format_description) {
        self.init(format: FourCC(rawValue: description.fourcc), name: fixedText(description.description))
    }
}

/// The four characters that name a pixel format, the first in the lowest byte.
public struct FourCC: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Creates the code of the first four ASCII characters of `text`, padded with spaces.
    public init(_ text: String) {
        let bytes = Array(text.utf8.prefix(4))
        rawValue = (0..<4).reduce(0) { code, place in
            code | UInt32(place < bytes.count ? bytes[place] : UInt8(ascii: " ")) << (8 * UInt32(place))
        }
    }

    /// Each frame is a separate JPEG image.
    public static let mjpeg = FourCC("MJPG")
    /// JPEG images under another name that some drivers use.
    public static let jpeg = FourCC("JPEG")
    /// Packed YCbCr 4:2:2, bytes Y0 Cb Y1 Cr.
    public static let yuyv = FourCC("YUYV")

    /// Metadata: the headers of the payloads in which a USB camera has sent a frame (`V4L2_META_FMT_UVC`).
    public static let payloadHeaders = FourCC("UVCH")

    /// The big-endian variant (`v4l2_fourcc_be`).
    public var bigEndian: FourCC { FourCC(rawValue: rawValue | 1 << 31) }

    /// The four characters, as `v4l2-ctl` writes them: with the suffix `-BE` for big-endian formats, which have bit 31 set. Unprintable
    /// characters are shown as `?`.
    public var description: String {
        let characters = (0..<4).map { place -> UInt8 in
            let byte = UInt8(truncatingIfNeeded: (rawValue & ~(1 << 31)) >> (8 * UInt32(place)))
            return (0x20...0x7e).contains(byte) ? byte : UInt8(ascii: "?")
        }
        return String(decoding: characters, as: UTF8.self) + (rawValue >> 31 == 1 ? "-BE" : "")
    }
}

/// A fraction as V4L2 states seconds per frame. A driver provides it, so both parts may have any value.
public struct Fraction: Hashable, Sendable {
    public var numerator: UInt32
    public var denominator: UInt32

    public init(_ numerator: UInt32, _ denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    init(_ fraction: cv4l_fraction) {
        self.init(fraction.numerator, fraction.denominator)
    }

    /// The fraction of a second in nanoseconds; nil unless it is positive.
    public var nanoseconds: Int64? {
        guard denominator > 0 else { return nil }
        let value = Int64(numerator) * 1_000_000_000 / Int64(denominator)
        return value > 0 ? value : nil
    }
}

/// One frame interval, or a range of them, in seconds per frame.
public struct FrameIntervals: Hashable, Sendable {
    /// The shortest time per frame: the highest rate.
    public var shortest: Fraction
    /// The longest time per frame; equals the shortest for a discrete interval.
    public var longest: Fraction

    public init(shortest: Fraction, longest: Fraction) {
        self.shortest = shortest
        self.longest = longest
    }

    /// A discrete interval.
    public init(_ interval: Fraction) {
        self.init(shortest: interval, longest: interval)
    }

    init(_ interval: cv4l_frame_interval) {
        self.init(shortest: Fraction(interval.minimum), longest: Fraction(interval.maximum))
    }

    public var isDiscrete: Bool { shortest == longest }
}

/// A size, or a grid of sizes, of a pixel format.
public struct FrameSizes: Hashable, Sendable {
    /// Widths in pixels; a single value for a discrete size.
    public var widths: SteppedRange
    /// Heights in pixels; a single value for a discrete size.
    public var heights: SteppedRange

    public init(widths: SteppedRange, heights: SteppedRange) {
        self.widths = widths
        self.heights = heights
    }

    /// A discrete size.
    public init(width: UInt32, height: UInt32) {
        self.init(widths: SteppedRange(width, width, step: 1), heights: SteppedRange(height, height, step: 1))
    }

    init(_ size: cv4l_frame_size) {
        self.init(
            widths: SteppedRange(size.minimum_width, size.maximum_width, step: size.step_width),
            heights: SteppedRange(size.minimum_height, size.maximum_height, step: size.step_height))
    }

    public func contains(width: UInt32, height: UInt32) -> Bool {
        widths.contains(width) && heights.contains(height)
    }
}

/// Numbers from a minimum to a maximum in equal steps, as a driver reports them. They may be inconsistent.
public struct SteppedRange: Hashable, Sendable {
    public var minimum: UInt32
    public var maximum: UInt32
    /// 0 and 1 both include every number.
    public var step: UInt32

    public init(_ minimum: UInt32, _ maximum: UInt32, step: UInt32) {
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
    }

    public func contains(_ number: UInt32) -> Bool {
        number >= minimum && number <= maximum && (number - minimum).isMultiple(of: max(step, 1))
    }

    /// Returns the largest number of the range that is not above `limit`; nil if all are above.
    public func largest(notAbove limit: UInt32) -> UInt32? {
        guard minimum <= maximum, minimum <= limit else { return nil }
        let span = min(limit, maximum) - minimum
        return minimum + span / max(step, 1) * max(step, 1)
    }
}
