/// The format of a camera's stream.
public struct VideoFormat: Hashable, Codable, Sendable, CustomStringConvertible {
    public var pixelFormat: PixelFormat
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    /// Nominal time between frames, in nanoseconds; positive.
    public var frameIntervalNanoseconds: Int64

    public var frameInterval: Duration { .nanoseconds(frameIntervalNanoseconds) }

    /// Whether frames that arrive at a measured interval are slower than the format states: by more than a twentieth.
    public func isSlower(_ measured: Duration) -> Bool { measured * 20 > frameInterval * 21 }

    public init(pixelFormat: PixelFormat, width: Int, height: Int, frameInterval: Duration) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.frameIntervalNanoseconds = frameInterval.nanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case pixelFormat = "pixelFormat"
        case width = "width"
        case height = "height"
        case frameIntervalNanoseconds = "frameIntervalNanoseconds"
    }

    public var description: String {
        "\(pixelFormat.rawValue) \(width)x\(height) \(Self.rate(frameIntervalNanoseconds)) fps"
    }

    /// Returns the frames per second, rounded to hundredths, without trailing zeros.
    private static func rate(_ interval: Int64) -> String {
        let interval = max(interval, 1)
        let hundredths = (100_000_000_000 + interval / 2) / interval
        let (whole, fraction) = hundredths.quotientAndRemainder(dividingBy: 100)
        if fraction == 0 { return "\(whole)" }
        return fraction % 10 == 0 ? "\(whole).\(fraction / 10)" : "\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
