import CaptureModel

/// What PTP or NTP says of the offset at one instant.
///
/// Each end says how far its `CLOCK_REALTIME` is ahead of its `CLOCK_MONOTONIC`, which only a step changes, and how far
/// its `CLOCK_REALTIME` can be from the reference. So the two `CLOCK_REALTIME` differ by no more than both bounds, and
/// the offset is the difference of the two leads within that.
struct ClaimedOffset: Hashable, Sendable {
    let reference: ClockReference
    /// Local time, nanoseconds.
    let instant: Int64
    /// Rig time minus local time, nanoseconds.
    let offset: Int64
    /// How far the offset can be from that, nanoseconds.
    let bound: Double

    /// - Parameter coordinatorRead: The local instant of the coordinator's reading, nanoseconds.
    /// - Returns: nil if the clocks follow different references, or a number is out of range.
    init?(
        node: DisciplinedClock<LocalTimeBase>, coordinator: DisciplinedClock<RigTimeBase>, coordinatorRead: Int64
    ) {
        guard node.reference == coordinator.reference, node.bound >= .zero, coordinator.bound >= .zero else {
            return nil
        }
        guard let ofNode = node.pair.lead, let ofCoordinator = coordinator.pair.lead else { return nil }
        let (offset, overflow) = ofNode.subtractingReportingOverflow(ofCoordinator)
        guard !overflow else { return nil }
        reference = node.reference
        instant = max(node.pair.monotonic.nanoseconds, coordinatorRead)
        self.offset = offset
        // Each bound is of the instant of its reading. What is claimed is of the later one.
        let gap = abs(node.pair.monotonic.nanoseconds.difference(from: coordinatorRead)) * 1e-9
        bound =
            Double(node.bound.nanoseconds) + Double(coordinator.bound.nanoseconds)
            + gap * ClockAssumptions.disciplinedRate + ClockAssumptions.resolution
    }
}

extension WallClockPair {
    /// How far `CLOCK_REALTIME` is ahead, nanoseconds; nil if an integer cannot hold it.
    fileprivate var lead: Int64? {
        let (lead, overflow) = realtimeNanoseconds.subtractingReportingOverflow(monotonic.nanoseconds)
        return overflow ? nil : lead
    }
}
