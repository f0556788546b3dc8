/// How fast bytes may go: `unlimited`, or a number of bytes per second such as `40 MB/s`.
public enum TransferRate: Hashable, Sendable, CustomStringConvertible {
    case unlimited
    /// Positive.
    case bytesPerSecond(Int64)

    static let units = ByteCount.units.map { ScaledUnit($0.symbol + "/s", $0.scale) }

    public var description: String {
        switch self {
        case .unlimited: "unlimited"
        case .bytesPerSecond(let rate): ScaledUnit.text(of: rate, in: Self.units)
        }
    }
}
