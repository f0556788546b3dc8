public import CaptureModel

/// Decides on a node which of the pinned frames is the picture of T. Nothing happens at T: the frame is found by its
/// stamp.
public struct FrameChooser: Hashable, Sendable {
    /// T.
    public let time: RigTime
    /// The camera's measured time from frame to frame, or its nominal one; at least 1 ms.
    public let period: Duration
    /// The longest measured time from a frame's mid-exposure until the frame is available, with a margin.
    public let delivery: Duration

    public init(time: RigTime, period: Duration, delivery: Duration) {
        self.time = time
        self.period = max(period, .milliseconds(1))
        self.delivery = max(delivery, .zero)
    }

    public enum Decision: Hashable, Sendable {
        /// Nothing is final. Ask again when a frame has arrived, and at `until`.
        case wait(until: RigTime)
        /// The picture is the frame at this index of the given frames.
        case choose(index: Int)
        case missed(RigProblem)
    }

    /// The instant from which the decision is final, whatever has arrived: T, two periods and the delivery time.
    public var deadline: RigTime { time + period + period + delivery }

    /// Decides on the picture. The choice is final if a whole frame exposed at or after T is available; or, for a frame
    /// exposed before T, when a frame exposed as close after T would be available; or at ``deadline``.
    ///
    /// A damaged frame is the picture only if no whole one is near enough: within a period of T, or within one and a half beside a
    /// nearer damaged one, so that the neighbors of that one count.
    /// - Parameters:
    ///   - midExposures: Those of the available frames, in any order.
    ///   - damaged: Indices of the frames whose image data is not whole.
    ///   - now: The present on the rig's time line.
    public func decide(midExposures: [RigTime], damaged: Set<Int> = [], now: RigTime) -> Decision {
        let whole = midExposures.indices.filter { !damaged.contains($0) }
        let fallback = nearest(midExposures, among: damaged.filter(midExposures.indices.contains))
            .flatMap { distance(midExposures[$0]) <= period ? $0 : nil }
        let reach = fallback == nil ? period : period * 3 / 2
        let choice = nearest(midExposures, among: whole)
        let final = finality(choice.map { distance(midExposures[$0]) }, within: reach)
        guard now >= final || whole.contains(where: { midExposures[$0] >= time }) else { return .wait(until: final) }
        if let choice, distance(midExposures[choice]) <= reach { return .choose(index: choice) }
        if let fallback { return .choose(index: fallback) }
        guard let choice else {
            return .missed(.init(.noFrameNearTime, "The camera delivered no good frame around T."))
        }
        return .missed(
            .init(
                .noFrameNearTime,
                "The frame nearest to T was exposed \(Self.milliseconds(distance(midExposures[choice]))) ms from it; more than one frame interval of \(Self.milliseconds(period)) ms is too far."
            ))
    }

    /// Returns the instant after which no later frame can be nearer to T than the nearest available one. A frame
    /// farther away than the reach is not a picture of T, so then a better one is awaited.
    private func finality(_ distance: Duration?, within reach: Duration) -> RigTime {
        guard let distance, distance <= reach else { return deadline }
        return min(deadline, time + distance + delivery)
    }

    private func distance(_ instant: RigTime) -> Duration { (instant - time).magnitude }

    /// Returns the frame nearest to T; the earlier of two equally near ones.
    private func nearest(_ midExposures: [RigTime], among indices: some Sequence<Int>) -> Int? {
        indices.min { left, right in
            let (first, second) = (midExposures[left], midExposures[right])
            let (near, far) = ((first - time).magnitude, (second - time).magnitude)
            return near == far ? first < second : near < far
        }
    }

    /// Milliseconds with one decimal.
    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = duration.nanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
