public import CaptureModel

/// The load of a node's cameras while they run, and its limits: sums of the costs of its devices.
public struct NodeLoad: Equatable, Sendable {
    /// The readiness of the least ready camera among those that should run; nil if there is none.
    public private(set) var readiness: CaptureReadiness?
    public private(set) var streamBytesPerSecond: Int64 = 0
    /// Bytes of memory that the rings need for their full depth, and the limit.
    public private(set) var ringBytes: Int64 = 0
    public private(set) var ringLimitBytes: Int64 = 0
    /// Processor cores for encoding, in thousandths.
    public private(set) var encodePermille = 0
    /// USB buses in order of number.
    public private(set) var buses: [Bus] = []

    /// A USB bus with the cameras on it.
    public struct Bus: Equatable, Sendable {
        public var number: Int
        public var bytesPerSecond: Int64
        public var limitBytesPerSecond: Int64
    }

    /// - Parameter devices: The devices of one node.
    public init(_ devices: [DeviceStatus]) {
        let sessions = devices.compactMap(\.condition.session)
        readiness = sessions.filter { !$0.demands.isEmpty && !$0.isHeld }.map(\.readiness).max()
        var buses: [Int: Bus] = [:]
        for cost in sessions.compactMap(\.cost) {
            add(cost)
            guard let bus = cost.bus else { continue }
            var sum = buses[bus.number] ?? Bus(number: bus.number, bytesPerSecond: 0, limitBytesPerSecond: 0)
            sum.bytesPerSecond = Self.sum(sum.bytesPerSecond, cost.streamBytesPerSecond)
            sum.limitBytesPerSecond = max(sum.limitBytesPerSecond, bus.limitBytesPerSecond)
            buses[bus.number] = sum
        }
        self.buses = buses.values.sorted { $0.number < $1.number }
    }

    /// The load of each node that has a device.
    /// - Parameter devices: The devices of the rig.
    public static func ofNodes(_ devices: [DeviceStatus]) -> [NodeName: NodeLoad] {
        Dictionary(grouping: devices, by: \.device.id.node).mapValues { NodeLoad($0) }
    }

    private mutating func add(_ cost: SessionCost) {
        streamBytesPerSecond = Self.sum(streamBytesPerSecond, cost.streamBytesPerSecond)
        ringBytes = Self.sum(ringBytes, cost.ringBytes)
        ringLimitBytes = Self.sum(ringLimitBytes, cost.ringLimitBytes)
        encodePermille = encodePermille.addingReportingOverflow(cost.encodePermille).partialValue
    }

    /// A peer may report any figures.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
