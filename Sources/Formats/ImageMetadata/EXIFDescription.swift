internal import CPosix

/// The metadata of a still for its Exif block. A value that is nil is left out.
///
/// Control characters are removed from texts, and a text that is then empty is left out.
public struct EXIFDescription: Hashable, Sendable {
    /// Manufacturer of the camera.
    public var make: String?
    /// Model of the camera.
    public var model: String?
    /// Serial number of the camera.
    public var bodySerialNumber: String?
    /// 128 bits as 32 hexadecimal digits, unique to the image.
    public var imageUniqueID: String?
    /// Program that wrote the file, with its version.
    public var software: String?
    /// The UUID in upper case that pairs a still with its movie, as in Apple's Live Photos. It is written into a MakerNote.
    public var contentIdentifier: String?
    /// A description of what the image shows.
    public var imageDescription: String?
    /// A comment of the user or program.
    public var userComment: String?
    /// How viewers rotate the image.
    public var orientation: EXIFOrientation
    /// When the image was taken.
    public var originalDate: EXIFTimestamp?
    /// Exposure time in seconds.
    public var exposureTime: EXIFRational?
    /// Sensitivity as an ISO value.
    public var isoSpeed: UInt16?
    /// Pixels across; nil means those of the frame header.
    public var pixelWidth: Int?
    /// Pixels down; nil means those of the frame header.
    public var pixelHeight: Int?
    /// Whether the flash fired, and why.
    public var flash: EXIFFlash?
    /// A thumbnail of the image.
    public var thumbnail: EXIFThumbnail?

    public init(
        make: String? = nil, model: String? = nil, bodySerialNumber: String? = nil, imageUniqueID: String? = nil,
        software: String? = nil, contentIdentifier: String? = nil, imageDescription: String? = nil,
        userComment: String? = nil,
        orientation: EXIFOrientation = .up, originalDate: EXIFTimestamp? = nil, exposureTime: EXIFRational? = nil,
        isoSpeed: UInt16? = nil, pixelWidth: Int? = nil, pixelHeight: Int? = nil, flash: EXIFFlash? = nil,
        thumbnail: EXIFThumbnail? = nil
    ) {
        self.make = make
        self.model = model
        self.bodySerialNumber = bodySerialNumber
        self.imageUniqueID = imageUniqueID
        self.software = software
        self.contentIdentifier = contentIdentifier
        self.imageDescription = imageDescription
        self.userComment = userComment
        self.orientation = orientation
        self.originalDate = originalDate
        self.exposureTime = exposureTime
        self.isoSpeed = isoSpeed
        self.pixelWidth = pixelWidth
        self.pixelHeight = pixelHeight
        self.flash = flash
        self.thumbnail = thumbnail
    }
}

/// Whether the flash fired, and why. The raw value is that of Exif tag 0x9209.
public enum EXIFFlash: UInt16, Sendable, CaseIterable {
    /// Fired, as requested.
    case fired = 0x09
    /// Not fired, as requested.
    case suppressed = 0x10
    /// Not fired, because the light was sufficient.
    case autoNotFired = 0x18
    /// Fired, because the light was not sufficient.
    case autoFired = 0x19
}

/// A non-negative fraction as Exif stores it.
public struct EXIFRational: Hashable, Sendable {
    public let numerator: UInt32
    public let denominator: UInt32

    /// Creates a fraction as given, without reducing it.
    public init(_ numerator: UInt32, _ denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Creates a duration in seconds, reduced: 10 ms is 1/100.
    ///
    /// Returns nil if it is negative or too large. Above two seconds, it is rounded down to a microsecond.
    public init?(secondsFromNanoseconds nanoseconds: Int64) {
        guard nanoseconds >= 0 else { return nil }
        let (count, unit): (Int64, Int64) =
            nanoseconds <= 2_000_000_000 ? (nanoseconds, 1_000_000_000) : (nanoseconds / 1000, 1_000_000)
        let divisor = Self.greatestCommonDivisor(count, unit)
        guard let numerator = UInt32(exactly: count / divisor), let denominator = UInt32(exactly: unit / divisor) else {
            return nil
        }
        self.init(numerator, denominator)
    }

    private static func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}

/// A small JPEG in a still's Exif block.
public struct EXIFThumbnail: Hashable, Sendable {
    /// A complete JPEG without application data, as the standard requires.
    public let jpeg: [UInt8]

    /// The most bytes of a thumbnail with which the Exif block fits its segment: 65533 minus ample room for the other metadata.
    public static let largestByteCount = 60_000

    /// - Parameter jpeg: A complete JPEG. Its application data is removed.
    /// - Throws: ``JPEGProblem`` if it is malformed, or larger than ``largestByteCount``.
    public init(_ jpeg: [UInt8]) throws(JPEGProblem) {
        let bare = try JPEGRewriter.withoutApplicationData(jpeg.span)
        guard bare.count <= Self.largestByteCount else { throw .metadataTooLarge(byteCount: bare.count) }
        self.jpeg = bare
    }
}

/// An instant, and the UTC offset of local time at the camera.
public struct EXIFTimestamp: Hashable, Sendable {
    /// Nanoseconds of `CLOCK_REALTIME` (since 1970-01-01 UTC, leap seconds not counted).
    public let realtimeNanoseconds: Int64
    /// The minutes by which local time is ahead of UTC.
    public let utcOffsetMinutes: Int

    /// Creates a timestamp. An offset beyond ±23:59 is clamped, which does not change the instant.
    public init(realtimeNanoseconds: Int64, utcOffsetMinutes: Int) {
        self.realtimeNanoseconds = realtimeNanoseconds
        self.utcOffsetMinutes = min(max(utcOffsetMinutes, -1439), 1439)
    }

    /// Local date and time to the second: `2026:01:02 03:04:05`.
    public var dateTime: String {
        let date = caprig_utc_date(localSeconds)
        let day = [Self.padded(date.year, 4), Self.padded(date.month, 2), Self.padded(date.day, 2)]
        let time = [date.hour, date.minute, date.second].map { Self.padded($0, 2) }
        return "\(day.joined(separator: ":")) \(time.joined(separator: ":"))"
    }

    /// The fraction of the second, nine digits.
    public var subSecond: String {
        Self.padded(Int(Self.floorDivide(realtimeNanoseconds, 1_000_000_000).remainder), 9)
    }

    /// The offset from UTC: `+01:00`.
    public var offset: String {
        let minutes = abs(utcOffsetMinutes)
        return "\(utcOffsetMinutes < 0 ? "-" : "+")\(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2))"
    }

    private var localSeconds: Int64 {
        Self.floorDivide(realtimeNanoseconds, 1_000_000_000).quotient + Int64(utcOffsetMinutes) * 60
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ value: some BinaryInteger, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
