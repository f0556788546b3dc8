/// From the earliest to the latest of several instants, and the largest error of that.
public struct InstantSpread: Hashable, Sendable {
    /// Latest minus earliest.
    public let spread: Duration
    /// The largest difference between `spread` and the spread of the true instants, of which each is within its bound, and off by the
    /// same amount in the part that it shares with others.
    public let bound: Duration
    /// The place of the earliest instant; of equals, the first.
    public let earliest: Int
    /// The place of the latest instant; of equals, the last.
    public let latest: Int

    /// An instant with its bound, and the part of that which it shares with others.
    public struct Instant: Hashable, Sendable {
        public var time: BoundedRigTime
        public var sharedError: SharedError?

        public init(_ time: BoundedRigTime, sharedError: SharedError? = nil) {
            self.time = time
            self.sharedError = sharedError
        }

        /// Between which instants the true one is.
        fileprivate var interval: Interval { Interval(time.time, time.bound) }

        /// The same if what it shares had no error.
        fileprivate var ownInterval: Interval {
            Interval(time.time, max(.zero, time.bound - (sharedError?.bound ?? .zero)))
        }
    }

    /// - Returns: nil for fewer than two instants.
    public init?(of instants: [BoundedRigTime]) {
        self.init(of: instants.map { Instant($0) })
    }

    /// - Returns: nil for fewer than two instants.
    public init?(of instants: [Instant]) {
        let times = instants.map(\.time.time)
        let places = times.indices
        guard times.count > 1, let earliest = places.min(by: { times[$0] < times[$1] }),
            let latest = places.reversed().max(by: { times[$0] < times[$1] })
        else { return nil }
        (self.earliest, self.latest) = (earliest, latest)
        spread = times[latest] - times[earliest]
        // What instants of a measurement share moves all of them: it counts between them and others, not between
        // themselves.
        let groups = Dictionary(grouping: instants.filter { $0.sharedError != nil }) { $0.sharedError?.measurement }
            .values.filter { $0.count > 1 }
        let grouped = Set(groups.compactMap { $0.first?.sharedError?.measurement })
        let single = instants.filter { instant in
            instant.sharedError.map { !grouped.contains($0.measurement) } ?? true
        }
        let within = groups.map { $0.map(\.ownInterval) }
        let between = single.map(\.interval) + groups.map { Interval(around: $0.map(\.interval)) }
        let most = ([between] + within).compactMap { Interval.farthest($0) }.max() ?? .zero
        // The true instants are closest if each is as near to the others as it can be.
        let least = ([instants.map(\.interval)] + within).compactMap { Interval.nearest($0) }.max() ?? .zero
        bound = max(most - spread, spread - max(.zero, least))
    }

    /// From the earliest to the latest possible instant of one or more.
    fileprivate struct Interval {
        var first: RigTime
        var last: RigTime

        init(_ time: RigTime, _ bound: Duration) {
            (first, last) = (time - bound, time + bound)
        }

        /// - Parameter intervals: At least one.
        init(around intervals: [Interval]) {
            first = intervals.map(\.first).min() ?? RigTime(nanoseconds: 0)
            last = intervals.map(\.last).max() ?? first
        }

        /// Returns how far apart instants of two different intervals can be; nil for fewer than two intervals.
        static func farthest(_ intervals: [Interval]) -> Duration? {
            let places = intervals.indices
            // If the same interval has the outermost ends of both sides, the second outermost of either side counts.
            let last = places.sorted { intervals[$0].last > intervals[$1].last }.prefix(2)
            let first = places.sorted { intervals[$0].first < intervals[$1].first }.prefix(2)
            let pairs = last.flatMap { last in first.map { (last, $0) } }.filter { $0.0 != $0.1 }
            return pairs.map { intervals[$0.0].last - intervals[$0.1].first }.max()
        }

        /// Returns how far apart instants of some two intervals are at least, negative if all intervals overlap; nil without intervals.
        static func nearest(_ intervals: [Interval]) -> Duration? {
            guard let last = intervals.map(\.first).max(), let first = intervals.map(\.last).min() else { return nil }
            return last - first
        }
    }
}
