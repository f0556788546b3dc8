import CaptureModel
import OrderedCollections
import RigCore

/// Which files are fetched again after a failure, and when.
///
/// Damaged bytes are fetched again at once, `attemptLimit` times in all; what failed for a reason that may pass, such as a
/// full disk, after two seconds, then twice as long each time, up to a minute; anything else is the file's outcome.
///
/// | event | not listed | waiting | being tried |
/// |---|---|---|---|
/// | failed, and it may pass | waiting, 2 s | waiting, from now | waiting, twice as long as before |
/// | failed for good, stored | – | not listed | not listed |
/// | its instant has come | – | being tried | – |
///
/// A value without clock. Bounded: beyond `limit` the oldest is forgotten; the node's next hello brings it up again.
struct CollectRetries: Sendable {
    static let delay = RetryDelay(first: .seconds(2), last: .seconds(60))
    static let limit = 4096
    /// How often a file whose bytes are wrong is fetched.
    static let attemptLimit = 3

    /// What becomes of a file that failed.
    enum Verdict: Hashable, Sendable {
        /// It is fetched again at once, and nobody is told of a failure.
        case again
        /// It has failed, and ``takeDue(at:)`` brings it up again.
        case later
        /// It has failed.
        case never
    }

    private struct Retry {
        var file: SpooledFile
        var delay = CollectRetries.delay
        /// nil while it is being tried.
        var due: LocalTime?
    }

    private var retries: OrderedDictionary<FileKey, Retry> = [:]
    /// How often files came damaged. Bounded by the files that are under way.
    private var damaged: [FileKey: Int] = [:]

    /// When ``takeDue(at:)`` has something; nil when nothing waits.
    var nextInstant: LocalTime? { retries.values.compactMap(\.due).min() }

    /// Whether trying again later may help.
    static func mayPass(_ problem: CaptureProblem) -> Bool {
        problem.mayPass
    }

    mutating func failed(_ key: FileKey, _ file: SpooledFile, _ problem: CaptureProblem, at now: LocalTime) -> Verdict {
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
        // One that waits has failed for another reason than having been tried.
        if retries[key] != nil, retry.due == nil { retry.delay.take() }
        retry.file = file
        retry.due = now + retry.delay.next
        retries[key] = retry
        if retries.count > Self.limit { retries.removeFirst() }
    }

    mutating func forget(_ key: FileKey) {
        retries[key] = nil
        damaged[key] = nil
    }

    /// The files of a shot that are fetched again.
    func keys(of shot: ShotID) -> [FileKey] { retries.keys.filter { $0.capture.shot == shot } }

    /// The files that are to be tried now.
    mutating func takeDue(at now: LocalTime) -> [(key: FileKey, file: SpooledFile)] {
        let due = retries.filter { $0.value.due.map { $0 <= now } ?? false }
        for key in due.keys { retries[key]?.due = nil }
        return due.map { ($0.key, $0.value.file) }
    }
}
