/// How large a device's stills may be at most, beyond the frames of its stream: the level "enabled", below "supported"
/// by the device and above "requested" by ``PhotoSettings/maxPhotoDimensions``.
public enum MaxPhotoDimensions: Hashable, Codable, Sendable, CustomStringConvertible {
    /// As large as the device offers.
    case largest
    /// Neither wider nor higher than this.
    case limit(PixelSize)

    /// Whether a still of this size is enabled.
    public func allows(_ size: PixelSize) -> Bool {
        switch self {
        case .largest: true
        case .limit(let limit): size.width <= limit.width && size.height <= limit.height
        }
    }

    /// The limit; nil where there is none.
    public var limit: PixelSize? {
        switch self {
        case .largest: nil
        case .limit(let limit): limit
        }
    }

    /// As the configuration writes it: `largest` or `2560x1440`.
    public var description: String { limit?.description ?? "largest" }
}
