/// Tells a congested link from a fast one by its round trips: their median is much longer than the shortest.
struct CongestionWatch: Sendable {
    /// The number of bursts whose median counts.
    static let window = 20
    /// How much longer than the shortest round trip the median is at the beginning and at the end of congestion: by this
    /// factor, and by this time at least, in nanoseconds. A loaded processor delays exchanges on one machine that long.
    static let begin = (factor: 2.0, least: Int64(500_000))
    static let end = (factor: 1.5, least: Int64(250_000))
    /// The shortest round trip is forgotten after one to two of these, since a route may have changed. Nanoseconds.
    static let memory: Int64 = 300_000_000_000

    /// The local instant at which it began, nanoseconds; nil if the link is not congested.
    private(set) var since: Int64?
    /// The shortest round trip of each of the newest bursts, in order of time.
    private var roundTrips: [Int64] = []
    private var shortest: (newer: Int64, older: Int64) = (.max, .max)
    private var memoryStart: Int64?

    /// The median of the newest bursts' shortest round trips, nanoseconds; nil before the first.
    var median: Int64? { roundTrips.isEmpty ? nil : roundTrips.sorted()[roundTrips.count / 2] }

    /// The shortest round trip in memory, nanoseconds; nil before the first.
    var least: Int64? { roundTrips.isEmpty ? nil : min(shortest.newer, shortest.older) }

    /// The shortest round trip of the newest burst, nanoseconds.
    var newest: Int64? { roundTrips.last }

    /// Adds another round trip of the burst in progress.
    mutating func add(_ roundTrip: Int64) {
        guard let last = roundTrips.last else { return }
        if roundTrip < last { roundTrips[roundTrips.count - 1] = roundTrip }
        shortest.newer = min(shortest.newer, roundTrip)
    }

    /// Adds the first round trip of the next burst, and judges those before it.
    mutating func begin(_ roundTrip: Int64, at instant: Int64) {
        judge(at: instant)
        if roundTrips.count >= Self.window { roundTrips.removeFirst() }
        roundTrips.append(roundTrip)
        if let start = memoryStart, instant.difference(from: start) < Double(Self.memory) {
            shortest.newer = min(shortest.newer, roundTrip)
        } else {
            shortest = (roundTrip, shortest.newer)
            memoryStart = instant
        }
    }

    private mutating func judge(at instant: Int64) {
        guard let median, let least else { return }
        let limit = since == nil ? Self.begin : Self.end
        let isLong = Double(median) > Double(least) * limit.factor && median > least.saturatingSum(limit.least)
        if !isLong { since = nil } else if since == nil { since = instant }
    }
}
