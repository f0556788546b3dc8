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
        case missed(CaptureProblem)
    }

    /// The instant from which the decision is final, whatever has arrived: T + two periods.
    public var deadline: RigTime { time + period + period }

    /// Decides on the picture. The choice is final if a good frame exposed at or after T is available; or, for a frame
    /// exposed before T, when a frame exposed as close after T would be available; or at ``deadline``.
    /// - Parameters:
    ///   - midExposures: Those of the available good frames, in any order.
    ///   - now: The present on the rig's time line.
    public func decide(midExposures: [RigTime], now: RigTime) -> Decision {
        let final = finality(midExposures)
        guard now >= final || midExposures.contains(where: { $0 >= time }) else { return .wait(until: final) }
        guard let index = nearest(midExposures) else {
            return .missed(.init(.noFrameNearTime, "The camera delivered no good frame around T."))
        }
        let distance = (midExposures[index] - time).magnitude
        guard distance <= period else {
            return .missed(
                .init(
                    .noFrameNearTime,
                    "The frame nearest to T was exposed \(Self.milliseconds(distance)) ms from it; more than one frame interval of \(Self.milliseconds(period)) ms is too far."
                ))
        }
        return .choose(index: index)
    }

    /// Returns the instant after which no later frame can be nearer to T than the nearest available one. A frame
    /// farther away than one period is not a picture of T, so then a better one is awaited.
    private func finality(_ midExposures: [RigTime]) -> RigTime {
        guard let index = nearest(midExposures) else { return deadline }
        let distance = (midExposures[index] - time).magnitude
        return distance <= period ? min(deadline, time + distance + delivery) : deadline
    }

    /// Returns the frame nearest to T; the earlier of two equally near ones.
    private func nearest(_ midExposures: [RigTime]) -> Int? {
        midExposures.indices.min { left, right in
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
