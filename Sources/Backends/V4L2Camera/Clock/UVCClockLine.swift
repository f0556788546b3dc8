import CaptureModel

/// A pair of instants: a reading of a camera's clock, and when it was made by this machine's clock.
struct UVCClockPair: Hashable, Sendable {
    /// The reading, in ticks of the camera's clock as it counts them.
    var ticks: UInt32
    /// When it was made, by the numbers of the USB frames: off by less than ``UVCClockLine/quantum``.
    var time: LocalTime
    /// USB frames from the reading to the processing of its payload.
    var delay: Int
    /// When the payload was processed.
    var arrival: LocalTime
    /// The USB frame at `arrival`, as the host controller counts.
    var hostFrame: UInt16

    /// nil for a header without reading.
    init?(_ header: UVCPayloadHeader) {
        guard let reading = header.reading else { return nil }
        ticks = reading.ticks
        (arrival, hostFrame) = (header.arrival, header.usbFrame)
        // Host controllers count to different ends, all of them beyond 8 bits.
        delay = Int((header.usbFrame &- reading.usbFrame) & 0xff)
        time = header.arrival - .milliseconds(delay)
    }
}

/// The line through the newest pairs of a camera's clock and this machine's, by least squares. Pure.
///
/// Both USB frame numbers of a pair are rounded down, so that its time is off by less than 1 ms on either side. Assumed is that camera and
/// host number the same USB frames, and that the true line is straight over the pairs. Then a pair says within which millisecond on either
/// side of it the true line passes, and ``doubt`` is how far it may be from the line found in the newer half of the pairs. It is small if
/// the readings lie at all places of a USB frame, and up to 1 ms if they always lie at the same one.
struct UVCClockLine: Sendable {
    /// The pairs have times of whole USB frames.
    static let quantum: Int64 = 1_000_000
    /// A pair that is farther from the line contradicts it: the quantum, the error of the line, and half a USB frame for host controllers
    /// that count late.
    static let tolerance: Int64 = 2_500_000
    /// Added to ``doubt`` for what the assumption leaves out.
    static let margin: Int64 = 100_000
    /// ``doubt``, but for a tick, if the readings all lie at the same place of a USB frame.
    static let samePlaceDoubt = Duration.nanoseconds(quantum + margin)
    /// A shorter time between two pairs adds work, and nothing else.
    static let spacing = Duration.milliseconds(25)
    /// The pairs of 6.4 s or more.
    static let mostPairs = 256
    /// So many that one is hardly delayed is among them.
    private static let recentPairs = 64
    /// The share of the first pairs that may be wrong: 1 / 8.
    private static let wrongShare = 8
    /// The nanoseconds per tick that a clock of 1 kHz to 10 GHz has.
    private static let plausibleSlopes = 0.1...1_000_000.0

    private struct Point {
        var ticks: Int64
        var time: Int64
        var delay: Int
    }

    private var points: [Point]
    /// Whether a reading had more than 16 bits. As long as none has, the clock may wrap after 16.
    private var isWide: Bool
    /// The mean of the points, as distances from the first.
    private var mean = (ticks: 0.0, time: 0.0)
    private(set) var nanosecondsPerTick = 0.0
    /// How far a pair is from the line at most.
    private var farthest = 0.0
    /// How far an instant by the line may be from the true one.
    private(set) var doubt = Duration.zero
    /// The root of the mean square of the pairs' distances from the line, which the rounding of USB frames alone makes up to 0.4 ms.
    private(set) var scatter = Duration.zero

    /// The least delay of the newest pairs.
    var leastDelay: Int { points.suffix(Self.recentPairs).map(\.delay).min() ?? 0 }
    var newest: LocalTime { LocalTime(nanoseconds: points.last?.time ?? 0) }

    /// nil if the pairs, in the order of their times, are not on a line, apart from a few.
    init?(_ pairs: [UVCClockPair]) {
        isWide = pairs.contains { $0.ticks > UInt32(UInt16.max) }
        points = Self.unwrapped(pairs, isWide: isWide)
        guard let kept = Self.inliers(of: points) else { return nil }
        points = kept
        fit()
        guard Self.plausibleSlopes.contains(nanosecondsPerTick), farthest <= Double(Self.tolerance) else { return nil }
    }

    /// Adds the next pair.
    /// - Returns: Its reading without wraps; nil if it contradicts the line, and was not added.
    mutating func add(_ pair: UVCClockPair) -> Int64? {
        let widened = isWide || pair.ticks > UInt32(UInt16.max)
        let expected = ticks(at: pair.time)
        let ticks = Self.nearest(to: expected, low: pair.ticks, modulus: Self.modulus(widened))
        guard (time(of: ticks) - pair.time).magnitude <= .nanoseconds(Self.tolerance) else { return nil }
        isWide = widened
        guard pair.time - newest >= Self.spacing else { return ticks }
        points.append(Point(ticks: ticks, time: pair.time.nanoseconds, delay: pair.delay))
        if points.count > Self.mostPairs { points.removeFirst() }
        fit()
        return ticks
    }

    /// Returns the instant of a reading without wraps.
    func time(of ticks: Int64) -> LocalTime {
        let distance = mean.time + (Double(ticks &- points[0].ticks) - mean.ticks) * nanosecondsPerTick
        return LocalTime(nanoseconds: points[0].time) + .nanoseconds(Int64(clampingRounded: distance))
    }

    /// Returns what the camera's clock, without wraps, shows at an instant.
    func ticks(at time: LocalTime) -> Int64 {
        let distance = Double((time - LocalTime(nanoseconds: points[0].time)).nanoseconds)
        return points[0].ticks &+ Int64(clampingRounded: mean.ticks + (distance - mean.time) / nanosecondsPerTick)
    }

    /// Returns a time that the camera tells, without wraps, as the latest that is not more than `slack` after `reading`.
    func unwrapped(_ ticks: UInt32, notAfter reading: Int64, slack: Duration) -> Int64? {
        guard isWide || ticks <= UInt32(UInt16.max) else { return nil }
        let modulus = Self.modulus(isWide)
        let late = min(Int64(clampingRounded: Double(slack.nanoseconds) / nanosecondsPerTick), modulus / 4)
        return Self.nearest(to: reading &+ late &- modulus / 2, low: ticks, modulus: modulus)
    }

    // MARK: Wraps

    private static func modulus(_ isWide: Bool) -> Int64 { isWide ? 1 << 32 : 1 << 16 }

    /// Returns the number within half a modulus, a power of two, of `expected` whose lowest bits are `low`.
    private static func nearest(to expected: Int64, low: UInt32, modulus: Int64) -> Int64 {
        let ahead = (Int64(low) &- expected) & (modulus - 1)
        return expected &+ (ahead >= modulus / 2 ? ahead - modulus : ahead)
    }

    /// A clock of 32 bits may step back. One of 16 wraps so soon that a step back is taken for a wrap.
    private static func unwrapped(_ pairs: [UVCClockPair], isWide: Bool) -> [Point] {
        var points: [Point] = []
        var (ticks, last) = (Int64(0), UInt32(0))
        for pair in pairs {
            let step = pair.ticks &- last
            if points.isEmpty {
                ticks = Int64(pair.ticks)
            } else if isWide {
                ticks += Int64(Int32(bitPattern: step))
            } else {
                ticks += Int64(step & 0xffff)
            }
            last = pair.ticks
            points.append(Point(ticks: ticks, time: pair.time.nanoseconds, delay: pair.delay))
        }
        return points
    }

    // MARK: The line

    /// Returns the points of the median line, if they are nearly all: of lines through points half of them apart.
    private static func inliers(of points: [Point]) -> [Point]? {
        let half = points.count / 2
        let slopes = (0..<half).compactMap { index -> Double? in
            let (early, late) = (points[index], points[index + half])
            guard late.ticks > early.ticks else { return nil }
            return Double(late.time - early.time) / Double(late.ticks - early.ticks)
        }
        guard let first = points.first, slopes.count * wrongShare >= half * (wrongShare - 2),
            let slope = median(slopes)
        else { return nil }
        let offsets = points.map { Double($0.time - first.time) - Double($0.ticks - first.ticks) * slope }
        guard let middle = median(offsets) else { return nil }
        let kept = zip(points, offsets).filter { abs($0.1 - middle) <= Double(tolerance) }.map(\.0)
        return kept.count * wrongShare >= points.count * (wrongShare - 1) ? kept : nil
    }

    private static func median(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }

    private mutating func fit() {
        let first = points[0]
        let count = Double(points.count)
        let distances = points.map { (ticks: Double($0.ticks &- first.ticks), time: Double($0.time - first.time)) }
        mean.ticks = distances.reduce(0) { $0 + $1.ticks } / count
        mean.time = distances.reduce(0) { $0 + $1.time } / count
        var (product, square) = (0.0, 0.0)
        for distance in distances {
            product += (distance.ticks - mean.ticks) * (distance.time - mean.time)
            square += (distance.ticks - mean.ticks) * (distance.ticks - mean.ticks)
        }
        nanosecondsPerTick = square > 0 ? product / square : 0
        let residuals = distances.map { distance in
            Residual(
                place: distance.time,
                value: distance.time - mean.time - (distance.ticks - mean.ticks) * nanosecondsPerTick)
        }
        farthest = residuals.reduce(0) { max($0, abs($1.value)) }
        scatter = .nanoseconds(
            Int64(clampingRounded: (residuals.reduce(0) { $0 + $1.value * $1.value } / count).squareRoot()))
        // Pairs that leave no straight line contradict the assumption, and are only known to be near the line.
        let error = Self.error(residuals) ?? farthest + Double(Self.quantum)
        doubt = .nanoseconds(Int64(clampingRounded: error + nanosecondsPerTick + Double(Self.margin)))
    }

    /// A pair's distance from the line.
    private struct Residual {
        /// When the pair was made.
        var place: Double
        var value: Double
    }

    /// Returns how far the true line can be from the one found, from the middle pair to the newest; nil if none can be true.
    ///
    /// The distance of two lines is a line. Of two of its points, limits are known by the pairs, and so of every other point: each choice
    /// of one early and one late pair gives a true limit, and the smallest of many is taken.
    private static func error(_ residuals: [Residual]) -> Double? {
        let (early, late) = (residuals.prefix(residuals.count / 2), residuals.dropFirst(residuals.count / 2))
        let order = { (left: Residual, right: Residual) in left.value < right.value }
        guard let newest = late.last, let middle = late.first,
            let lowEarly = early.min(by: order), let highEarly = early.max(by: order),
            let lowLate = late.min(by: order), let highLate = late.max(by: order)
        else { return nil }
        let reach = Double(quantum)
        var (most, least) = (Double.infinity, -Double.infinity)
        for pair in late {
            // How much farther the newest pair is from this one than this one from the early one, as a share.
            func share(_ early: Residual) -> Double { (newest.place - pair.place) / (pair.place - early.place) }
            let (up, down) = (share(highEarly), share(lowEarly))
            most = min(most, (pair.value + reach) * (1 + up) - (highEarly.value - reach) * up)
            least = max(least, (pair.value - reach) * (1 + down) - (lowEarly.value + reach) * down)
        }
        let mostAtMiddle = between(lowEarly, lowLate, at: middle.place) + reach
        let leastAtMiddle = between(highEarly, highLate, at: middle.place) - reach
        guard least <= most, leastAtMiddle <= mostAtMiddle else { return nil }
        return max(abs(most), abs(least), abs(mostAtMiddle), abs(leastAtMiddle))
    }

    private static func between(_ early: Residual, _ late: Residual, at place: Double) -> Double {
        early.value + (late.value - early.value) * (place - early.place) / (late.place - early.place)
    }
}
