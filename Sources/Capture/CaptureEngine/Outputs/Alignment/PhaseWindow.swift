import CaptureModel

/// Collects the lateness of some frames, so that the jitter of single ones averages out.
struct PhaseWindow: Sendable {
    /// Frames of a measurement, and the shortest time from one to the next. Faster cameras have frames that are left out.
    static let count = 8
    static let spacing = Duration.milliseconds(20)

    private var samples: [(at: LocalTime, lateness: Duration)] = []
    private var bound = Duration.zero

    /// Adds a frame.
    /// - Parameters:
    ///   - instant: Its mid-exposure.
    ///   - lateness: In the grid; unequal to that of other frames by less than half an interval.
    /// - Returns: What these frames measure, after the last of them. The next frame begins another measurement.
    mutating func add(
        _ lateness: Duration, bound: Duration, at instant: LocalTime, in grid: PhaseGrid
    ) -> PhaseMeasurement? {
        if let last = samples.last, instant < last.at + Self.spacing { return nil }
        let first = samples.first?.lateness ?? lateness
        samples.append((instant, first + grid.shortest(lateness - first)))
        self.bound = max(self.bound, bound)
        guard samples.count == Self.count, let start = samples.first?.at else { return nil }
        defer { self = PhaseWindow() }
        let sorted = samples.map(\.lateness).sorted()
        let middle = (sorted[Self.count / 2 - 1] + sorted[Self.count / 2]) / 2
        return PhaseMeasurement(
            lateness: grid.shortest(middle), variation: sorted[Self.count - 1] - sorted[0], bound: self.bound,
            start: start, end: instant)
    }
}

/// The phase of a camera, measured from some of its frames.
struct PhaseMeasurement: Hashable, Sendable {
    /// The median.
    var lateness: Duration
    /// The difference of the largest and the least lateness.
    var variation: Duration
    /// The largest error of the frames' instants, of clock and stamps.
    var bound: Duration
    /// Mid-exposures of the first and the last frame.
    var start: LocalTime
    var end: LocalTime

    var duration: Duration { end - start }
    /// The instant for which the median holds.
    var middle: LocalTime { start + duration / 2 }
}
