/// From the earliest to the latest of several instants, and the largest error of that.
public struct InstantSpread: Hashable, Sendable {
    /// Latest minus earliest.
    public let spread: Duration
    /// The largest difference between `spread` and the spread of the true instants, of which each is within its bound.
    public let bound: Duration
    /// The place of the earliest instant; of equals, the first.
    public let earliest: Int
    /// The place of the latest instant; of equals, the last.
    public let latest: Int

    /// - Returns: nil for fewer than two instants.
    public init?(of instants: [BoundedRigTime]) {
        let places = instants.indices
        guard instants.count > 1, let earliest = places.min(by: { instants[$0].time < instants[$1].time }),
            let latest = places.reversed().max(by: { instants[$0].time < instants[$1].time })
        else { return nil }
        (self.earliest, self.latest) = (earliest, latest)
        spread = instants[latest].time - instants[earliest].time
        // The true instants are farthest apart if one is at its latest and another one at its earliest. If the same one has
        // the outermost ends of both, the second outermost end of either side counts.
        let ends = places.map { instants[$0].time + instants[$0].bound }
        let beginnings = places.map { instants[$0].time - instants[$0].bound }
        let last = places.sorted { ends[$0] > ends[$1] }.prefix(2)
        let first = places.sorted { beginnings[$0] < beginnings[$1] }.prefix(2)
        let pairs = last.flatMap { last in first.map { (last, $0) } }.filter { $0.0 != $0.1 }
        let most = pairs.map { ends[$0.0] - beginnings[$0.1] }.max() ?? .zero
        // They are closest if each is as near to the others as it can be.
        let least = max(.zero, beginnings.max().flatMap { last in ends.min().map { last - $0 } } ?? .zero)
        bound = max(most - spread, spread - least)
    }
}
