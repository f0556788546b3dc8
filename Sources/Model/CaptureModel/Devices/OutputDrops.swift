/// Frames that a session had or should have had and that an output did not hand on, by cause.
public struct OutputDrops: Hashable, Codable, Sendable {
    /// Numbers missing in the driver's sequence: lost by the driver or the node, or not whole.
    public var beforeOutput: UInt64 = 0
    /// A newer frame came before the consumer took this one.
    public var superseded: UInt64 = 0
    /// The picture could not be decoded for scaling.
    public var undecodable: UInt64 = 0
    /// The picture is larger than the channel it goes to allows.
    public var oversized: UInt64 = 0

    public init() {}

    /// All causes together.
    public var total: UInt64 { beforeOutput &+ superseded &+ undecodable &+ oversized }

    public mutating func add(_ other: OutputDrops) {
        beforeOutput &+= other.beforeOutput
        superseded &+= other.superseded
        undecodable &+= other.undecodable
        oversized &+= other.oversized
    }
}
