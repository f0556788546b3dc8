/// Frames of a session by outcome; every loss has a counter.
public struct FrameCounters: Hashable, Codable, Sendable {
    /// Good frames that reached the ring.
    public var delivered: UInt64 = 0
    /// Frames that the driver never delivered, by the gaps in its sequence numbers.
    public var droppedByDevice: UInt64 = 0
    /// Frames with the driver's error flag set.
    public var flaggedErroneous: UInt64 = 0
    /// Frames that are not a complete picture of the stream's size.
    public var torn: UInt64 = 0
    /// Frames dropped because the node was too slow to read or encode them.
    public var droppedByNode: UInt64 = 0
    /// Times the stream stalled for longer than the watchdog allows.
    public var stalls: UInt64 = 0
    /// Pictures after whose end the camera sent further bytes, which were dropped.
    public var trimmed: UInt64 = 0
    /// Delivered pictures whose image data is not whole, such as a lost restart interval.
    public var damaged: UInt64 = 0

    public init() {}

    /// Adds the counts of another stream of the same session.
    public mutating func add(_ other: FrameCounters) {
        delivered &+= other.delivered
        droppedByDevice &+= other.droppedByDevice
        flaggedErroneous &+= other.flaggedErroneous
        torn &+= other.torn
        droppedByNode &+= other.droppedByNode
        stalls &+= other.stalls
        trimmed &+= other.trimmed
        damaged &+= other.damaged
    }
}
