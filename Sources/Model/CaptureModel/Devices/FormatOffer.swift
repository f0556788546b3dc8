/// One pixel format that a device offers, in every size and rate it comes in.
public struct FormatOffer: Hashable, Codable, Sendable {
    public var pixelFormat: PixelFormat
    /// The device's own format, by its V4L2 fourcc, where `pixelFormat` is made of it by conversion on this machine.
    public var convertedFrom: String?
    /// The sizes; empty where the driver does not tell them.
    public var sizes: [SizeOffer]

    public init(pixelFormat: PixelFormat, convertedFrom: String? = nil, sizes: [SizeOffer]) {
        self.pixelFormat = pixelFormat
        self.convertedFrom = convertedFrom
        self.sizes = sizes
    }
}

/// One size, or a grid of sizes, with the rates it comes at.
public struct SizeOffer: Hashable, Codable, Sendable {
    /// Widths in pixels.
    public var widths: PixelRange
    /// Heights in pixels.
    public var heights: PixelRange
    /// Times from frame to frame; empty where the driver does not tell them.
    public var intervals: [IntervalOffer]
    /// Whether these are made to order, without the camera showing more in a larger one: presets choose among the others.
    public var isMadeToOrder: Bool

    public init(
        widths: PixelRange, heights: PixelRange, intervals: [IntervalOffer], isMadeToOrder: Bool = false
    ) {
        self.widths = widths
        self.heights = heights
        self.intervals = intervals
        self.isMadeToOrder = isMadeToOrder
    }
}

/// Numbers of pixels from a smallest to a largest in equal steps; both are the same for a single one.
public struct PixelRange: Hashable, Codable, Sendable {
    public var smallest: Int
    public var largest: Int
    /// At least 1.
    public var step: Int

    public init(_ smallest: Int, _ largest: Int, step: Int = 1) {
        self.smallest = smallest
        self.largest = largest
        self.step = max(step, 1)
    }
}

/// One frame interval, or every one between two, in nanoseconds.
public struct IntervalOffer: Hashable, Codable, Sendable {
    /// The shortest time from frame to frame: the highest rate.
    public var shortestNanoseconds: Int64
    /// The longest; the same for a single interval.
    public var longestNanoseconds: Int64

    public init(shortestNanoseconds: Int64, longestNanoseconds: Int64) {
        self.shortestNanoseconds = shortestNanoseconds
        self.longestNanoseconds = longestNanoseconds
    }
}
