/// One pixel format that a device offers, with all its sizes and rates.
public struct FormatOffer: Hashable, Codable, Sendable {
    public var pixelFormat: PixelFormat
    /// The device's format, by its V4L2 fourcc, if this machine converts it to `pixelFormat`.
    public var convertedFrom: String?
    /// The sizes; empty if the driver does not report them.
    public var sizes: [SizeOffer]

    public init(pixelFormat: PixelFormat, convertedFrom: String? = nil, sizes: [SizeOffer]) {
        self.pixelFormat = pixelFormat
        self.convertedFrom = convertedFrom
        self.sizes = sizes
    }
}

/// One size, or a grid of sizes, with its rates.
public struct SizeOffer: Hashable, Codable, Sendable {
    /// Widths in pixels.
    public var widths: PixelRange
    /// Heights in pixels.
    public var heights: PixelRange
    /// Times between frames; empty if the driver does not report them.
    public var intervals: [IntervalOffer]
    /// Whether the sizes are made on request, without showing more of the scene in a larger one. Presets choose among the others.
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

/// One frame interval, or every one between two, in nanoseconds.
public struct IntervalOffer: Hashable, Codable, Sendable {
    /// The shortest time between frames: the highest rate.
    public var shortestNanoseconds: Int64
    /// The longest time between frames; equal to the shortest for a single interval.
    public var longestNanoseconds: Int64

    public init(shortestNanoseconds: Int64, longestNanoseconds: Int64) {
        self.shortestNanoseconds = shortestNanoseconds
        self.longestNanoseconds = longestNanoseconds
    }
}
