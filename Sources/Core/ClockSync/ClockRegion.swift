/// What the probes prove: every pair of offset and steady rate that is possible at one instant; see
/// `docs/design/time.md`.
///
/// A limit says of the pair at t that offset − age · rate is within its value, and the deviation that the assumptions
/// allow during its age. Such a limit is a half-plane, and the region is their intersection, a convex polygon. Young limits
/// bound the offset and old ones the rate. A limit that is dropped can only make the region larger, so that it remains
/// true.
struct ClockRegion: Sendable {
    /// The number of limits that come together before some are dropped.
    private static let largestGrowth = 8
    /// The powers of two, in seconds, of the ages of kept limits.
    private static let keptAges = -1...7

    /// The local instant of the pairs, nanoseconds.
    private(set) var reference: Int64
    /// In order around the region; nanoseconds, and nanoseconds per second.
    private var corners: [Corner] = []
    /// The limits of earlier bursts.
    private var limits: [ClockLimit] = []
    /// The number of limits after some were dropped.
    private var keptCount = 0
    /// The tightest limits of the burst in progress.
    private var most: ClockLimit
    private var least: ClockLimit

    init(at reference: Int64, least: ClockLimit, most: ClockLimit) {
        self.reference = reference
        (self.least, self.most) = (least, most)
        let rate = ClockAssumptions.largestSteadyRate
        rebuild(withRates: (-rate, rate))
    }

    /// Whether the limits contradict each other: an assumption broke.
    var isEmpty: Bool { corners.isEmpty }

    /// Adds the limits of another probe of the burst in progress.
    /// - Returns: Whether one of them is tighter than those before it.
    mutating func add(least: ClockLimit, most: ClockLimit) -> Bool {
        let isTighter = least.value > self.least.value || most.value < self.most.value
        if least.value > self.least.value {
            self.least = least
            cut(to: least)
        }
        if most.value < self.most.value {
            self.most = most
            cut(to: most)
        }
        return isTighter
    }

    /// Moves the reference to the first probe of the next burst.
    mutating func begin(at instant: Int64, least: ClockLimit, most: ClockLimit) {
        limits.append(self.least)
        limits.append(self.most)
        (self.least, self.most) = (least, most)
        let change = ClockAssumptions.rateDrift * abs(instant.difference(from: reference)) * 1e-9
        let (slowest, fastest) = rates
        reference = instant
        let rate = ClockAssumptions.largestSteadyRate
        rebuild(withRates: (max(slowest - change, -rate), min(fastest + change, rate)))
        if limits.count >= keptCount + Self.largestGrowth, !isEmpty { dropLimits() }
    }

    /// Returns the least and the largest offset, `lead` seconds after the reference. The region must not be empty.
    func extent(after lead: Double) -> (least: Double, most: Double) {
        var (least, most) = (Double.infinity, -Double.infinity)
        var (leastNow, mostNow) = (least, most)
        for corner in corners {
            let offset = corner.offset + lead * corner.rate
            if offset < least { least = offset }
            if offset > most { most = offset }
            if corner.offset < leastNow { leastNow = corner.offset }
            if corner.offset > mostNow { mostNow = corner.offset }
        }
        let deviation = ClockAssumptions.deviation(over: lead)
        let reach = ClockAssumptions.reach(over: lead)
        return (max(least - deviation, leastNow - reach), min(most + deviation, mostNow + reach))
    }

    /// Returns by how much the offset can have changed from one local instant to another. The region must not be empty.
    ///
    /// The rates are those at the reference, and may differ by the drift elsewhere.
    func change(from first: Int64, to second: Int64) -> (least: Double, most: Double) {
        let (slowest, fastest) = rates
        let time = second.difference(from: first) * 1e-9
        let ages = (first.difference(from: reference) * 1e-9, second.difference(from: reference) * 1e-9)
        let drift = ClockAssumptions.rateDrift / 2 * (ages.0 * ages.0 + ages.1 * ages.1)
        let deviation = abs(time) * (ClockAssumptions.rateStep / 2) + drift
        let reach = ClockAssumptions.reach(over: time)
        return (
            max(min(time * slowest, time * fastest) - deviation, -reach),
            min(max(time * slowest, time * fastest) + deviation, reach)
        )
    }

    /// The least and the largest steady rate. The region must not be empty.
    var rates: (least: Double, most: Double) {
        var (least, most) = (Double.infinity, -Double.infinity)
        for corner in corners {
            if corner.rate < least { least = corner.rate }
            if corner.rate > most { most = corner.rate }
        }
        return (least, most)
    }

    /// Begins with what the newest two limits allow at rates that are proven otherwise.
    private mutating func rebuild(withRates rates: (least: Double, most: Double)) {
        let bottom = least.value - ClockAssumptions.reach(over: least.age(at: reference))
        let top = most.value + ClockAssumptions.reach(over: most.age(at: reference))
        corners = [
            Corner(offset: bottom, rate: rates.least), Corner(offset: top, rate: rates.least),
            Corner(offset: top, rate: rates.most), Corner(offset: bottom, rate: rates.most),
        ]
        cut(to: least)
        cut(to: most)
        for limit in limits { cut(to: limit) }
    }

    /// Removes the part of the region that exceeds a limit.
    private mutating func cut(to limit: ClockLimit) {
        let edge = Edge(limit, at: reference)
        guard edge.distance(to: corners) < 0, var previous = corners.last else { return }
        var kept: [Corner] = []
        kept.reserveCapacity(corners.count + 1)
        var previousExcess = edge.excess(of: previous)
        for corner in corners {
            let excess = edge.excess(of: corner)
            if (excess > 0) != (previousExcess > 0) {
                kept.append(previous.between(corner, part: previousExcess / (previousExcess - excess)))
            }
            if excess <= 0 { kept.append(corner) }
            (previous, previousExcess) = (corner, excess)
        }
        corners = kept
    }

    /// Keeps, of the upper and of the lower limits with ages from one power of two to the next, the one nearest to the
    /// region.
    private mutating func dropLimits() {
        var kept = [(limit: ClockLimit, distance: Double)?](repeating: nil, count: Self.keptAges.count * 2)
        for limit in limits {
            let age = max(limit.age(at: reference), 0x1p-1)
            guard age.exponent <= Self.keptAges.upperBound else { continue }
            let place = (Int(age.exponent) - Self.keptAges.lowerBound) * 2 + (limit.isUpper ? 1 : 0)
            let distance = Edge(limit, at: reference).distance(to: corners)
            if distance <= kept[place]?.distance ?? .infinity { kept[place] = (limit, distance) }
        }
        limits = kept.compactMap { $0?.limit }
        keptCount = limits.count
    }

    private struct Corner: Sendable {
        let offset: Double
        let rate: Double

        /// Returns the point at a part of the way to another corner.
        func between(_ other: Corner, part: Double) -> Corner {
            Corner(offset: offset + part * (other.offset - offset), rate: rate + part * (other.rate - rate))
        }
    }

    /// A limit as a half-plane of the pairs at one instant.
    private struct Edge {
        private let byOffset: Double
        private let byRate: Double
        private let most: Double

        init(_ limit: ClockLimit, at reference: Int64) {
            let age = limit.age(at: reference)
            byOffset = limit.isUpper ? 1 : -1
            byRate = -byOffset * age
            most = byOffset * limit.value + ClockAssumptions.deviation(over: age)
        }

        /// Returns by how much a pair exceeds the limit, nanoseconds; negative inside.
        func excess(of corner: Corner) -> Double {
            byOffset * corner.offset + byRate * corner.rate - most
        }

        /// Returns how far the limit is from the nearest corner, nanoseconds; negative if it cuts the region.
        func distance(to corners: [Corner]) -> Double {
            var largest = -Double.infinity
            for corner in corners {
                let excess = byOffset * corner.offset + byRate * corner.rate
                if excess > largest { largest = excess }
            }
            return most - largest
        }
    }
}
