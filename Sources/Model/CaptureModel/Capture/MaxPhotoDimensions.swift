/// The largest stills of a device that are enabled, beyond the frames of its stream. The level "enabled" is between
/// "supported" by the device and "requested" by ``PhotoSettings/maxPhotoDimensions``.
public enum MaxPhotoDimensions: Hashable, Codable, Sendable, CustomStringConvertible {
    /// As large as the device offers.
    case largest
    /// Neither wider nor higher than this.
    case limit(PixelSize)

    /// Returns whether a still of this size is enabled.
    public func allows(_ size: PixelSize) -> Bool {
        switch self {
        case .largest: true
        case .limit(let limit): size.width <= limit.width && size.height <= limit.height
        }
    }

    /// The limit; nil if there is none.
    public var limit: PixelSize? {
        switch self {
        case .largest: nil
        case .limit(let limit): limit
        }
    }

    /// The form used in the configuration: `largest` or `2560x1440`.
    public var description: String { limit?.description ?? "largest" }
}
