import CaptureModel

/// The instants at which aligned cameras expose: the multiples of a frame interval on the rig's time line, counted from its zero.
///
/// The interval is a fraction (``FrameRate``), so that cameras of 30 and of 60 frames per second share every second instant of the latter,
/// however long the rig has been running.
struct PhaseGrid: Hashable, Sendable {
    /// Nanoseconds after which an instant of the grid is an integer again, and the intervals in this time.
    private let cycle: Int64
    private let frames: Int64

    init(interval: Duration) {
        let rate = FrameRate(interval: interval)
        // A rate that is not one of the usual fractions is the interval itself, in nanoseconds.
        let isFraction = rate.denominator <= 1001
        cycle = isFraction ? rate.denominator * 1_000_000_000 : rate.denominator
        frames = isFraction ? rate.numerator : 1
    }

    var interval: Duration { .nanoseconds(cycle / frames) }

    /// Returns how long after the nearest instant of the grid this one is; negative: before it. At most half an interval.
    func lateness(of time: RigTime) -> Duration {
        let rest = time.nanoseconds % cycle
        let within = rest < 0 ? rest + cycle : rest
        let part = cycle.dividingFullWidth(within.multipliedFullWidth(by: frames)).remainder
        return .nanoseconds((part * 2 > cycle ? part - cycle : part) / frames)
    }

    /// Returns the shortest of the durations that lead to the same phase as this one. At most half an interval.
    func shortest(_ shift: Duration) -> Duration {
        let interval = Double(cycle) / Double(frames)
        let nanoseconds = Double(shift.nanoseconds)
        return .nanoseconds(Int64((nanoseconds - (nanoseconds / interval).rounded() * interval).rounded()))
    }
}
