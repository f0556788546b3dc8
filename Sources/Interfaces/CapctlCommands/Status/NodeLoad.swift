internal import CaptureModel

/// What a node's cameras need while they run, against what there is: sums of the costs of its devices.
struct NodeLoad: Encodable, Equatable {
    /// Of the cameras that are to run, the least ready one's; absent where there is none.
    var readiness: CaptureReadiness?
    var streamBytesPerSecond: Int64 = 0
    /// Bytes of memory that the rings need for their whole depth, and may take.
    var ringBytes: Int64 = 0
    var ringLimitBytes: Int64 = 0
    /// Processor cores for encoding, thousandths.
    var encodePermille = 0
    /// USB buses in order of number.
    var buses: [Bus] = []

    /// A USB bus with the cameras on it.
    struct Bus: Encodable, Equatable {
        var number: Int
        var bytesPerSecond: Int64
        var limitBytesPerSecond: Int64
    }

    /// - Parameter devices: Those of one node.
    init(_ devices: [DeviceStatus]) {
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

    private mutating func add(_ cost: SessionCost) {
        streamBytesPerSecond = Self.sum(streamBytesPerSecond, cost.streamBytesPerSecond)
        ringBytes = Self.sum(ringBytes, cost.ringBytes)
        ringLimitBytes = Self.sum(ringLimitBytes, cost.ringLimitBytes)
        encodePermille = encodePermille.addingReportingOverflow(cost.encodePermille).partialValue
    }

    /// Figures of a peer may be anything.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    /// What is too much for the node, though no camera is by itself: a sentence each.
    var warnings: [String] {
        buses.filter { $0.bytesPerSecond > $0.limitBytesPerSecond }.map { bus in
            "USB bus \(bus.number) is asked for \(Decimals.byteText(bus.bytesPerSecond))/s and carries about "
                + "\(Decimals.byteText(bus.limitBytesPerSecond))/s: put a camera on another controller, or choose smaller or compressed formats"
        }
    }
}
