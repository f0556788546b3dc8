/// A part of a picture, as shares of its width and height, from the top left corner of the pixels as the camera delivers them.
public struct PictureRegion: Hashable, Codable, Sendable {
    public let x: Double
    public let y: Double
    public let width: Double
    public let height: Double

    /// Returns nil if it is empty or reaches beyond the picture.
    public init?(x: Double, y: Double, width: Double, height: Double) {
        // Sums of shares such as 0.7 + 0.3 may be a little more than 1.
        let limit = 1 + 1e-9
        guard x >= 0, y >= 0, width > 0, height > 0, x + width <= limit, y + height <= limit else { return nil }
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    private init(side: Double) {
        (x, y, width, height) = ((1 - side) / 2, (1 - side) / 2, side, side)
    }

    /// The middle third of both sides.
    public static let center = PictureRegion(side: 1.0 / 3)
    public static let whole = PictureRegion(side: 1)

    /// Returns the range of pixels that it covers of a side: at least one pixel.
    private static func range(_ start: Double, _ length: Double, of count: Int) -> Range<Int> {
        let first = min(max(Int((start * Double(count)).rounded()), 0), max(count - 1, 0))
        let end = min(max(Int(((start + length) * Double(count)).rounded()), first + 1), max(count, 1))
        return first..<end
    }

    /// The columns of a picture of this width.
    public func columns(of width: Int) -> Range<Int> { Self.range(x, self.width, of: width) }

    /// The rows of a picture of this height.
    public func rows(of height: Int) -> Range<Int> { Self.range(y, self.height, of: height) }
}

/// Red, green and blue; 0 to 1 where it is a part of the largest value.
public struct ColorMean: Hashable, Codable, Sendable {
    public var red: Double
    public var green: Double
    public var blue: Double

    public init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    public var channels: [Double] { [red, green, blue] }
}

/// What a node has measured in a part of a camera's pictures.
public struct PictureMeasurement: Hashable, Sendable {
    /// How values in proportion to light were computed from those of the pictures.
    public enum Linearization: String, Hashable, Codable, Sendable, CaseIterable {
        /// The sensor's samples are in proportion to light.
        case raw
        /// The file of the camera has its tone curve.
        case measured
        /// The camera is assumed to encode as sRGB does. Cameras do not, so values are in proportion to light only roughly.
        case assumedSRGB
    }

    /// The longest side of the picture in pixels, and its largest size in bytes.
    public static let pictureSide = 320
    public static let pictureByteLimit = 131_072

    /// The number of frames that were measured.
    public var frames: Int
    public var first: FrameMark
    public var last: FrameMark
    public var linearization: Linearization
    /// Mean of the values as they are in the pictures: 0 to 1.
    public var encoded: ColorMean
    /// Mean of the values in proportion to light: 0 to 1.
    public var linear: ColorMean
    /// The difference between the brightest and the darkest frame, as a part of the mean: flicker and adjustments.
    public var spread: Double
    /// The difference between the mean of the second half of the frames and of the first, as a part of the mean: adjustments. At
    /// least two frames, otherwise 0.
    public var drift: Double
    /// The part of the pixels that have a channel at its largest value.
    public var clippedHigh: Double
    /// The part of the pixels that are black.
    public var clippedLow: Double
    /// A small JPEG of the last measured frame; nil if it was not requested, or could not be made.
    public var picture: [UInt8]?

    public init(
        frames: Int, first: FrameMark, last: FrameMark, linearization: Linearization, encoded: ColorMean,
        linear: ColorMean, spread: Double = 0, drift: Double = 0, clippedHigh: Double = 0, clippedLow: Double = 0,
        picture: [UInt8]? = nil
    ) {
        self.frames = frames
        self.first = first
        self.last = last
        self.linearization = linearization
        self.encoded = encoded
        self.linear = linear
        self.spread = spread
        self.drift = drift
        self.clippedHigh = clippedHigh
        self.clippedLow = clippedLow
        self.picture = picture
    }
}
