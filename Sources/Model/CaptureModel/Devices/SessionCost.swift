/// What a camera costs its node while it runs, estimated from its format before it starts; `docs/design/session.md`
/// says how.
public struct SessionCost: Hashable, Codable, Sendable {
    /// Bytes a second from camera to node.
    public var streamBytesPerSecond: Int64
    /// Bytes of memory that the ring needs for its whole depth.
    public var ringBytes: Int64
    /// Bytes of memory that it may take; with fewer than it needs it reaches back less far.
    public var ringLimitBytes: Int64
    /// Share of one processor core for encoding, thousandths; 0 where the camera compresses.
    public var encodePermille: Int
    /// The USB bus the camera is on; nil for others, and before it was first opened.
    public var bus: USBBus?

    /// A USB bus, which cameras share.
    public struct USBBus: Hashable, Codable, Sendable {
        /// The kernel's number of the bus.
        public var number: Int
        /// Bytes a second that periodic transfers, such as a camera's, may take of it: USB leaves 20 % of a high-speed
        /// bus and 10 % of others to the rest.
        public var limitBytesPerSecond: Int64

        public init(number: Int, limitBytesPerSecond: Int64) {
            self.number = number
            self.limitBytesPerSecond = limitBytesPerSecond
        }
    }

    public init(
        streamBytesPerSecond: Int64, ringBytes: Int64, ringLimitBytes: Int64, encodePermille: Int, bus: USBBus? = nil
    ) {
        self.streamBytesPerSecond = streamBytesPerSecond
        self.ringBytes = ringBytes
        self.ringLimitBytes = ringLimitBytes
        self.encodePermille = encodePermille
        self.bus = bus
    }

    /// What is too much by itself: a sentence each.
    public var warnings: [String] {
        var warnings: [String] = []
        if ringBytes > ringLimitBytes, ringBytes > 0 {
            let percent = Int(Double(ringLimitBytes) / Double(ringBytes) * 100)
            warnings.append("its share of ring.memory holds about \(percent) % of ring.depth")
        }
        if encodePermille > 1000 {
            warnings.append("encoding needs more than one processor core; frames will be dropped")
        }
        if let bus, streamBytesPerSecond > bus.limitBytesPerSecond {
            warnings.append("its stream is more than USB bus \(bus.number) carries")
        }
        return warnings
    }
}
