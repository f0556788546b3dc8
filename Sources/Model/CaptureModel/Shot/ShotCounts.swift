/// What a coordinator has counted of its shots since its start, for monitoring.
public struct ShotCounts: Hashable, Sendable {
    /// Shots by the status with which they were first settled.
    public var settledShots: [Shot.Status: UInt64]
    /// The same of takes.
    public var settledTakes: [Shot.Status: UInt64]
    /// Shots and takes that were deleted, by why.
    public var deleted: [ShotDeletion.Reason: UInt64]
    /// The skews of the pictures of the settled shots.
    public var skews: SkewHistogram

    public init(
        settledShots: [Shot.Status: UInt64] = [:], settledTakes: [Shot.Status: UInt64] = [:],
        deleted: [ShotDeletion.Reason: UInt64] = [:], skews: SkewHistogram = SkewHistogram()
    ) {
        self.settledShots = settledShots
        self.settledTakes = settledTakes
        self.deleted = deleted
        self.skews = skews
    }

    /// Counts a shot or take that is settled for the first time.
    public mutating func count(_ shot: Shot) {
        if shot.take != nil {
            settledTakes[shot.status, default: 0] += 1
            return
        }
        settledShots[shot.status, default: 0] += 1
        for capture in shot.captures {
            if let timing = capture.credibleTiming { skews.count(timing.skewNanoseconds) }
        }
    }
}

/// Skews of pictures in bins, regardless of their direction.
public struct SkewHistogram: Hashable, Sendable {
    /// The largest skew of each bin but the last, in nanoseconds, rising: 0.5 ms to 0.5 s.
    public static let defaultBounds: [Int64] = [
        500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    ]
    .map { $0 * 1000 }

    public let bounds: [Int64]
    /// The pictures of each bin; the last is for skews above all bounds.
    public private(set) var counts: [UInt64]
    /// The sum of all skews without their signs, in nanoseconds. Wraps around.
    public private(set) var sum: UInt64

    public init() {
        bounds = Self.defaultBounds
        counts = Array(repeating: 0, count: bounds.count + 1)
        sum = 0
    }

    /// - Returns: nil unless `bounds` are positive and rise, and there is one more count.
    public init?(bounds: [Int64], counts: [UInt64], sum: UInt64) {
        guard counts.count == bounds.count + 1, zip([0] + bounds, bounds).allSatisfy({ $0 < $1 }) else { return nil }
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
    }

    /// - Parameter skew: Mid-exposure minus T, in nanoseconds.
    public mutating func count(_ skew: Int64) {
        let bin = bounds.firstIndex { skew.magnitude <= $0.magnitude } ?? bounds.count
        counts[bin] &+= 1
        sum &+= skew.magnitude
    }
}
