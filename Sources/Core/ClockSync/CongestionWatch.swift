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
    private var roundTrips: [Int64]
    /// The shortest of all bursts from `memoryStart` on, and of those in the memory before.
    private var newerShortest: Int64
    private var olderShortest = Int64.max
    private var memoryStart: Int64

    /// - Parameter roundTrip: Of the first probe, nanoseconds.
    init(_ roundTrip: Int64, at instant: Int64) {
        roundTrips = [roundTrip]
        newerShortest = roundTrip
        memoryStart = instant
    }

    /// The median of the newest bursts' shortest round trips, nanoseconds.
    var median: Int64 { roundTrips.sorted()[roundTrips.count / 2] }

    /// The shortest round trip in memory, nanoseconds.
    var shortest: Int64 { min(newerShortest, olderShortest) }

    /// Adds another round trip of the burst in progress.
    mutating func add(_ roundTrip: Int64) {
        let last = roundTrips.count - 1
        if roundTrip < roundTrips[last] { roundTrips[last] = roundTrip }
        newerShortest = min(newerShortest, roundTrip)
    }

    /// Adds the first round trip of the next burst, and judges those before it.
    mutating func begin(_ roundTrip: Int64, at instant: Int64) {
        judge(at: instant)
        if roundTrips.count >= Self.window { roundTrips.removeFirst() }
        roundTrips.append(roundTrip)
        if instant.difference(from: memoryStart) >= Double(Self.memory) {
            (olderShortest, newerShortest, memoryStart) = (newerShortest, .max, instant)
        }
        newerShortest = min(newerShortest, roundTrip)
    }

    private mutating func judge(at instant: Int64) {
        let limit = since == nil ? Self.begin : Self.end
        let (median, shortest) = (median, shortest)
        let isLong = Double(median) > Double(shortest) * limit.factor && median > shortest.saturatingSum(limit.least)
        if !isLong { since = nil } else if since == nil { since = instant }
    }
}
