import CaptureModel
import OrderedCollections
import RigConfiguration

/// Decides which files are fetched again after a failure, and when.
///
/// Damaged bytes are fetched again at once, `attemptLimit` times in all. After a failure that may pass, such as a full
/// disk, the file is retried after two seconds, then after twice as long each time, up to a minute. Any other failure
/// is the file's outcome.
///
/// | event | not listed | waiting | being tried |
/// |---|---|---|---|
/// | failed, and it may pass | waiting, 2 s | waiting, restarted | waiting, twice as long as before |
/// | failed permanently, or stored | – | not listed | not listed |
/// | its instant is reached | – | being tried | – |
///
/// A value without a clock. Bounded: beyond `limit` the oldest is removed; the node's next hello lists it again.
struct CollectRetries: Sendable {
    static let delay = RetryDelay(first: .seconds(2), last: .seconds(60))
    static let limit = 4096
    /// How often a file whose bytes are wrong is fetched.
    static let attemptLimit = 3

    /// The consequence of a failure.
    enum Verdict: Hashable, Sendable {
        /// The file is fetched again at once, and no failure is reported.
        case again
        /// The file has failed, and ``removeDue(at:)`` will return it.
        case later
        /// The file has failed permanently.
        case never
    }

    private struct Retry {
        var file: SpooledFile
        var delay = CollectRetries.delay
        /// nil while it is being tried.
        var due: LocalTime?
    }

    private var retries: OrderedDictionary<FileKey, Retry> = [:]
    /// How often files arrived damaged. Bounded by the files in progress.
    private var damaged: [FileKey: Int] = [:]

    /// When ``removeDue(at:)`` has a file; nil if none waits.
    var nextInstant: LocalTime? { retries.values.compactMap(\.due).min() }

    /// Returns whether a later retry may help.
    static func mayPass(_ problem: RigProblem) -> Bool {
        problem.mayPass
    }

    mutating func failed(_ key: FileKey, _ file: SpooledFile, _ problem: RigProblem, at now: LocalTime) -> Verdict {
        switch problem.code {
        case .corrupted where damaged[key, default: 0] + 1 < Self.attemptLimit:
            damaged[key, default: 0] += 1
            return .again
        case _ where Self.mayPass(problem):
            damaged[key] = nil
            wait(key, file, from: now)
            return .later
        default:
            forget(key)
            return .never
        }
    }

    private mutating func wait(_ key: FileKey, _ file: SpooledFile, from now: LocalTime) {
        var retry = retries[key] ?? Retry(file: file)
        // A file that waits has failed for another reason than a retry.
        if retries[key] != nil, retry.due == nil { retry.delay.advance() }
        retry.file = file
        retry.due = now + retry.delay.next
        retries[key] = retry
        if retries.count > Self.limit { retries.removeFirst() }
    }

    mutating func forget(_ key: FileKey) {
        retries[key] = nil
        damaged[key] = nil
    }

    /// Returns the files of a shot that are to be fetched again.
    func keys(of shot: ShotID) -> [FileKey] { retries.keys.filter { $0.capture.shot == shot } }

    /// Returns the files to try at this instant.
    mutating func removeDue(at now: LocalTime) -> [(key: FileKey, file: SpooledFile)] {
        let due = retries.filter { $0.value.due.map { $0 <= now } ?? false }
        for key in due.keys { retries[key]?.due = nil }
        return due.map { ($0.key, $0.value.file) }
    }
}

/// Spreads the requested bytes over time, so that collecting never fills the link. Measurements of the clock show that
/// a link at its limit costs the clock a millisecond, and a link at 70 % costs nothing.
struct TransferPacer: Sendable {
    let rate: TransferRate
    /// When the next chunk may be requested.
    private var free: LocalTime?

    init(rate: TransferRate) {
        self.rate = rate
    }

    /// Whether nodes do not share a rate.
    var isUnlimited: Bool { if case .unlimited = rate { true } else { false } }

    /// Limit on the bytes of one chunk. At a low rate, it is the bytes of a quarter of a second, so that a chunk delays
    /// a later request by at most that time, but at least 4 KiB.
    var chunkByteCount: Int64 {
        guard case .bytesPerSecond(let rate) = rate else { return CollectQueue.chunkByteCount }
        return min(max(rate / 4, 4096), CollectQueue.chunkByteCount)
    }

    /// Returns when a chunk may be requested: now or later.
    func earliest(at now: LocalTime) -> LocalTime {
        max(free ?? now, now)
    }

    /// Notes that `byteCount` bytes were requested.
    mutating func spend(_ byteCount: Int64, at now: LocalTime) {
        guard case .bytesPerSecond(let rate) = rate else { return }
        free = earliest(at: now) + .nanoseconds(Int64(Double(byteCount) / Double(max(rate, 1)) * 1e9))
    }
}
