public import CaptureModel
public import RigSecurity

/// Limits how often machines may try to join, so that guesses and floods cost the coordinator little.
///
/// | bucket | holds | refills | for |
/// |---|---|---|---|
/// | of a source | 5 attempts | one in 10 s | each IPv4 address, each /64 network of IPv6, and all peers without an address |
/// | overflow | 64 attempts | 16 in 1 s | all sources beyond 1024 that have tried within the last 50 s |
///
/// An attempt that was right is given back, so that many machines behind one address can join. A refused attempt costs
/// nothing, so waiting always helps.
///
/// A right code is let through at once if its own source has not guessed, and if fewer than 1024 other sources guess.
/// Beyond that, it has to be repeated until it gets one of the 16 attempts of a second. All sources together have 5184
/// attempts at once and 118 in 1 s in the long run, whatever their number. That bounds the work and the log; guessing is
/// impossible at any rate, because a token has 128 bits.
public struct AttemptLimiter: Sendable {
    /// Where an attempt comes from.
    public enum Source: Hashable, Sendable {
        case v4(UInt32)
        /// The first 64 bits of an IPv6 address. One machine can have any of the addresses that begin so.
        case network(UInt64)
        /// A peer whose address is not known.
        case unknown

        public init(_ address: IPAddress?) {
            self =
                switch address?.unmapped {
                case .v4(let number): .v4(number)
                case .v6(let high, _): .network(high)
                case nil: .unknown
                }
        }
    }

    public static let burst = 5
    public static let interval = Duration.seconds(10)
    /// The most sources that are remembered.
    public static let sourceLimit = 1024
    public static let overflowBurst = 64
    public static let overflowInterval = Duration.microseconds(62_500)

    /// Attempts that were refused because of their source.
    public private(set) var refusedOfSource: UInt64 = 0
    /// Attempts of sources beyond the limit that were refused.
    public private(set) var refusedOverflow: UInt64 = 0

    private var sources: [Source: TokenBucket] = [:]
    private var overflow = TokenBucket(burst: overflowBurst, interval: overflowInterval)
    private var purgedAt: LocalTime?

    public init() {}

    /// The number of sources that are remembered.
    public var sourceCount: Int { sources.count }

    /// Counts an attempt.
    /// - Parameters:
    ///   - address: The peer's; nil if it is not known.
    ///   - now: Monotonic, so that setting the wall clock fills no bucket.
    /// - Throws: `tooManyAttempts`, with the time to wait.
    public mutating func attempt(from address: IPAddress?, at now: LocalTime) throws(AccessError) -> AttemptPermit {
        let source = Source(address)
        if sources[source] == nil { makeRoom(at: now) }
        guard sources[source] != nil || sources.count < Self.sourceLimit else {
            if let wait = overflow.wait(at: now) {
                refusedOverflow += 1
                throw Self.refusal(wait, "too many machines try to join at once")
            }
            overflow.take(at: now)
            return AttemptPermit(source: source)
        }
        var bucket = sources[source] ?? TokenBucket(burst: Self.burst, interval: Self.interval)
        if let wait = bucket.wait(at: now) {
            refusedOfSource += 1
            throw Self.refusal(wait, "this address has tried too often to join")
        }
        bucket.take(at: now)
        sources[source] = bucket
        return AttemptPermit(source: source)
    }

    /// Gives an attempt back that was right. One of the overflow is not given back.
    public mutating func giveBack(_ permit: AttemptPermit) {
        sources[permit.source]?.giveBack()
    }

    /// Forgets the sources whose buckets are full again, which are as if they had never tried. At most once in a second,
    /// so that a flood costs little.
    private mutating func makeRoom(at now: LocalTime) {
        guard sources.count >= Self.sourceLimit, purgedAt.map({ now - $0 >= .seconds(1) }) ?? true else { return }
        purgedAt = now
        sources = sources.filter { !$0.value.isFull(at: now) }
    }

    private static func refusal(_ wait: Duration, _ cause: String) -> AccessError {
        let seconds = max(1, (wait.nanoseconds + 999_999_999) / 1_000_000_000)
        return AccessError(
            .tooManyAttempts, "join", "join socket", cause, remedy: "wait \(seconds) s and try again", retryAfter: wait)
    }
}

/// Proof that the limiter has counted an attempt, without which nothing can be redeemed or requested.
public struct AttemptPermit: Hashable, Sendable {
    public let source: AttemptLimiter.Source
}

/// A bucket of attempts, as the instant at which it is full again.
struct TokenBucket: Hashable, Sendable {
    let burst: Int
    let interval: Duration
    /// nil for a bucket from which nothing was taken.
    private var fullAt: LocalTime?

    init(burst: Int, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// Returns how long it takes until one attempt is there; nil if one is there.
    func wait(at now: LocalTime) -> Duration? {
        guard let fullAt else { return nil }
        let wait = fullAt - now - interval * (burst - 1)
        return wait > .zero ? wait : nil
    }

    func isFull(at now: LocalTime) -> Bool { fullAt.map { $0 <= now } ?? true }

    mutating func take(at now: LocalTime) {
        fullAt = max(fullAt ?? now, now) + interval
    }

    mutating func giveBack() {
        fullAt = fullAt.map { $0 - interval }
    }
}
