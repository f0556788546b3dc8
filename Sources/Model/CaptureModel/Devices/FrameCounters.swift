/// Frames of a session by what became of them; every loss has a name.
public struct FrameCounters: Hashable, Codable, Sendable {
    /// Good frames that reached the ring.
    public var delivered: UInt64 = 0
    /// Frames the driver never handed over, from gaps in its sequence numbers.
    public var droppedByDevice: UInt64 = 0
    /// Frames with the driver's error flag set.
    public var flaggedErroneous: UInt64 = 0
    /// Frames that are no whole JPEG image.
    public var torn: UInt64 = 0
    /// Frames dropped because the node was too slow to take or encode them.
    public var droppedByNode: UInt64 = 0
    /// Times the stream stalled for longer than the watchdog allows.
    public var stalls: UInt64 = 0

    public init() {}

    /// Adds the counts of another stream of the same session.
    public mutating func add(_ other: FrameCounters) {
        delivered &+= other.delivered
        droppedByDevice &+= other.droppedByDevice
        flaggedErroneous &+= other.flaggedErroneous
        torn &+= other.torn
        droppedByNode &+= other.droppedByNode
        stalls &+= other.stalls
    }
}
