/// The most likely offset and rate: the middle between the fastest exchanges of either direction, along a robust slope.
///
/// Delays of a network have a least value that both directions of a symmetric link share, and queues above it. So the
/// tightest limits of some seconds are more accurate than an average. What is likely proves nothing: bounds are from
/// ``ClockRegion`` alone.
struct ClockTrend: Sendable {
    /// How long the limits of a burst count toward the offset, in seconds.
    static let offsetWindow = 15.0
    /// How long a block of bursts is, in seconds: this part of the time since the first one, so that a first rate is soon
    /// known, within these limits.
    static let blockPart = 1.0 / 6
    static let blockLengths = 0.5...4.0
    /// How long blocks count toward the rate, in seconds.
    static let rateWindow = 60.0
    /// The part of the blocks, the tightest ones, that counts toward the rate.
    static let countedPart = 0.6
    /// Bursts and blocks kept, whatever their stamps are. The offset window has 100 bursts while probes settle.
    private static let largestHistory = 160

    /// Nanoseconds per second.
    private(set) var rate = 0.0
    /// Oldest first; the last one is in progress.
    private var bursts: [Burst] = []
    /// The number of newest bursts that are not in a block.
    private var open = 0
    private var blocks: [Block] = []
    /// Of the first burst, local time in nanoseconds.
    private var start: Int64?

    /// The tightest limits of one burst.
    private struct Burst: Sendable {
        var least: ClockLimit
        var most: ClockLimit
    }

    private struct Block: Sendable {
        /// Local time, nanoseconds.
        var instant: Int64
        /// The middle between the tightest limits, and the distance between them; nanoseconds.
        var offset: Double
        var gap: Double
    }

    /// Adds the limits of another probe of the burst in progress.
    mutating func add(least: ClockLimit, most: ClockLimit) {
        guard let last = bursts.indices.last else { return begin(least: least, most: most) }
        if least.value > bursts[last].least.value { bursts[last].least = least }
        if most.value < bursts[last].most.value { bursts[last].most = most }
    }

    /// Adds the limits of the first probe of the next burst.
    mutating func begin(least: ClockLimit, most: ClockLimit) {
        let now = least.instant
        let start = self.start ?? now
        self.start = start
        let age = now.difference(from: start) * 1e-9
        let length = min(max(age * Self.blockPart, Self.blockLengths.lowerBound), Self.blockLengths.upperBound)
        if let first = bursts.suffix(open).first, first.least.age(at: now) >= length { closeBlock(at: now) }
        let outdated = bursts.prefix { $0.least.age(at: now) > Self.offsetWindow }.count
        bursts.removeFirst(max(outdated, bursts.count - Self.largestHistory + 1, 0))
        bursts.append(Burst(least: least, most: most))
        open = min(open + 1, bursts.count)
    }

    /// Keeps the rate within what is proven, and takes the middle of it while there are too few blocks.
    mutating func limit(to rates: (least: Double, most: Double)) {
        if blocks.count < 3 { rate = (rates.least + rates.most) / 2 }
        rate = min(max(rate, rates.least), rates.most)
    }

    /// Returns the tightest limits of the offset at a local instant.
    func limits(at instant: Int64) -> (least: Double, most: Double) { limits(of: bursts[...], at: instant) }

    private func limits(of bursts: ArraySlice<Burst>, at instant: Int64) -> (least: Double, most: Double) {
        var (least, most) = (-Double.infinity, Double.infinity)
        for burst in bursts {
            let (lower, upper) = (burst.least, burst.most)
            least = max(least, lower.value + rate * lower.age(at: instant))
            most = min(most, upper.value + rate * upper.age(at: instant))
        }
        return (least, most)
    }

    private mutating func closeBlock(at now: Int64) {
        let members = bursts.suffix(open)
        open = 0
        guard let first = members.first, let last = members.last else { return }
        let length = last.least.instant.difference(from: first.most.instant)
        let instant = first.most.instant.saturatingSum(Int64(saturating: length / 2))
        let (least, most) = limits(of: members, at: instant)
        blocks.append(Block(instant: instant, offset: (least + most) / 2, gap: most - least))
        blocks.removeAll { now.difference(from: $0.instant) * 1e-9 > Self.rateWindow }
        if blocks.count > Self.largestHistory { blocks.removeFirst() }
        if blocks.count >= 3 { rate = slope() }
    }

    /// Returns the median of the slopes between the tightest blocks (Theil and Sen).
    private func slope() -> Double {
        let count = max(3, Int((Double(blocks.count) * Self.countedPart).rounded(.up)))
        let counted = blocks.sorted { $0.gap < $1.gap }.prefix(count)
        var slopes: [Double] = []
        for (number, block) in counted.enumerated() {
            for other in counted.prefix(number) {
                let time = block.instant.difference(from: other.instant) * 1e-9
                if time != 0 { slopes.append((block.offset - other.offset) / time) }
            }
        }
        slopes.sort()
        return slopes.isEmpty ? rate : slopes[slopes.count / 2]
    }
}
