/// The cost of a camera to its node while it runs, estimated from its format before it starts; `docs/design/session.md`
/// describes the estimate.
public struct SessionCost: Hashable, Codable, Sendable {
    /// Bytes per second from camera to node.
    public var streamBytesPerSecond: Int64
    /// Bytes of memory that the ring needs for its full depth.
    public var ringBytes: Int64
    /// Bytes of memory that the ring may use. If it needs more, its depth is shorter.
    public var ringLimitBytes: Int64
    /// Share of one processor core for encoding, in thousandths; 0 if the camera compresses.
    public var encodePermille: Int
    /// The camera's USB bus; nil for other cameras, and before the camera was first opened.
    public var bus: USBBus?

    /// A USB bus, which cameras share.
    public struct USBBus: Hashable, Codable, Sendable {
        /// The kernel's number of the bus.
        public var number: Int
        /// Bytes per second of the bus that periodic transfers, such as a camera's, may use. USB reserves 20 % of a
        /// high-speed bus and 10 % of others for other transfers.
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

    /// A sentence for each cost that alone exceeds a limit.
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
