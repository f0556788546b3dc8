public import CaptureModel
internal import Glibc
public import PosixSupport
public import StorageKit

/// Makes the small pictures of a library while it is being written, on a separate thread.
///
/// It is notified of durable manifests and reads the library itself. After each picture it pauses for as long as it worked. A picture that
/// cannot be made is reported once. No shot waits for it. Whoever shows a picture may wait for it with ``supply(_:)``: this comes first, also
/// during a pause.
public actor PreviewMaker {
    /// The niceness of its thread.
    static let niceness: CInt = 10

    private nonisolated let executor: ThreadExecutor
    private nonisolated let queue = Locked(PreviewQueue())
    private nonisolated let wanted = Locked(WantedPictures())
    private nonisolated let changed: Alarm
    private nonisolated let clock: any TimeSource
    private let library: any ShotReading & AssetReading
    private let folder: String
    private let tell: @Sendable (PreviewNotice) -> Void
    private var retry = RetryDelay(first: .seconds(1), last: .seconds(60))

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Nothing is read or written before ``run()``.
    /// - Parameters:
    ///   - library: Reads the library.
    ///   - folder: The folder that contains the folder of small pictures, such as the library's.
    ///   - tell: Called on the maker's thread with events for a log.
    /// - Throws: If no thread can be created.
    public init(
        _ library: any ShotReading & AssetReading, folder: String, clock: any TimeSource,
        tell: @escaping @Sendable (PreviewNotice) -> Void
    ) throws(PosixError) {
        self.library = library
        self.folder = folder
        self.clock = clock
        self.tell = tell
        executor = try ThreadExecutor(name: "previews")
        changed = Alarm(clock: clock)
    }

    /// Notes that a manifest of this shot has become durable. Returns at once and never fails.
    public nonisolated func note(_ shot: Shot) {
        queue.withLock { $0.note(.init(id: shot.id, day: ShotDay.name(of: shot))) }
        changed.ring()
    }

    /// Makes the small pictures of a file before all others, unless they exist, and returns when they do.
    ///
    /// Files are worked on one at a time. The caller bounds how many wait. A wait ends with its file or with ``run()``, and not when the task
    /// is cancelled.
    /// - Throws: ``PictureProblem`` if none can be made of this file. `StorageError` with `notFound` or `corrupted` if the library does not
    ///   have the file of the manifest; `noSpace` or `inputOutput` if it cannot be read, or if nothing can be written at this time.
    public nonisolated func supply(_ file: PicturedFile) async throws {
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
            if let refusal = wanted.withLock({ $0.add(file, waiter) }) { return waiter.resume(throwing: refusal) }
            queue.withLock { $0.noteWanted() }
            changed.ring()
        }
    }

    public nonisolated var counters: PreviewCounters { queue.withLock { $0.counters } }

    /// Works until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await work()
            } catch is CancellationError {
                break
            } catch {
                queue.withLock { $0.failed() }
                tell(.failed(Self.reason(error)))
                refuse(Self.refusal(error))
                // Changes during this wait are processed after it. Cancelling the task ends the wait and the loop.
                try? await clock.sleep(for: retry.advance())
                wanted.withLock { $0.accept() }
            }
        }
        refuse(StorageError(.inputOutput, "make", "small pictures", "the coordinator is ending; ask again"))
    }

    /// Ends the wait for all files.
    private func refuse(_ reason: StorageError) {
        for waiter in wanted.withLock({ $0.refuse(reason) }) { waiter.resume(throwing: reason) }
    }

    /// Raises the niceness of the executor's thread; Linux has one for each thread. If this fails, the thread keeps its niceness.
    private func giveWay() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    }

    private func work() async throws {
        giveWay()
        let work = try PreviewWork(library, folder: folder)
        while !Task.isCancelled {
            try await supplyWanted(work)
            let began = clock.now()
            switch queue.withLock({ $0.next() }) {
            case .make(let place): try await make(place, work)
            case .compare(let day):
                let stale = try await work.compare(day: day)
                queue.withLock { $0.compared(stale) }
                try await rest(since: began, work)
            case .list:
                let days = try await work.days()
                queue.withLock { $0.listed(days) }
            case .rest:
                retry.reset()
                await changed.wait(until: nil)
            }
        }
    }

    private func make(_ place: PreviewQueue.Place, _ work: PreviewWork) async throws {
        guard let missing = try await work.missing(of: place) else { return }
        var isComplete = true
        for file in missing.files {
            try await supplyWanted(work)
            // Somebody may wait for it by now.
            guard try !work.isFinished(file) else { continue }
            let began = clock.now()
            do {
                _ = try await made(file, work)
            } catch let problem as StorageError {
                isComplete = false
                tell(.unread(file.key, problem))
            }
            try await rest(since: began, work)
        }
        if isComplete { try work.finish(place, stamp: missing.stamp) }
    }

    /// Rests as long as it has worked since `began`, except for what somebody waits for.
    private func rest(since began: LocalTime, _ work: PreviewWork) async throws {
        let end = clock.now() + (clock.now() - began)
        while clock.now() < end {
            try Task.checkCancellation()
            try await supplyWanted(work)
            await changed.wait(until: end)
        }
        try Task.checkCancellation()
    }

    /// Makes what somebody waits for.
    private func supplyWanted(_ work: PreviewWork) async throws {
        while let file = wanted.withLock(\.first) {
            do {
                let problem = try work.isComplete(file) ? nil : try await made(file, work)
                end(file, problem.map { .failure($0) } ?? .success(()))
            } catch let problem as StorageError {
                tell(.unread(file.key, problem))
                end(file, .failure(problem))
            }
        }
    }

    private func end(_ file: PicturedFile, _ result: Result<Void, any Error>) {
        for waiter in wanted.withLock({ $0.end(file) }) { waiter.resume(with: result) }
    }

    /// Makes the small pictures of a file.
    /// - Returns: Why there are none; nil if they were made.
    private func made(_ file: PicturedFile, _ work: PreviewWork) async throws -> PictureProblem? {
        let problem = try await work.make(file)
        queue.withLock { $0.made(isReadable: problem == nil) }
        tell(problem.map { .unreadable(file.key, "\($0)") } ?? .made(file.key))
        return problem
    }

    private static func reason(_ error: any Error) -> String {
        (error as? StoreFailure).map { "\($0.cause)" } ?? "\(error)"
    }

    private static func refusal(_ error: any Error) -> StorageError {
        let isFull = (error as? StoreFailure)?.cause.code == ENOSPC
        return StorageError(
            isFull ? .noSpace : .inputOutput, "make", "small pictures",
            "small pictures cannot be made at this time, and will be tried again within a minute: \(reason(error))")
    }
}

/// An event of making small pictures, for a log.
public enum PreviewNotice: Hashable, Sendable {
    /// The small pictures of a file were made.
    case made(FileKey)
    /// No picture can be made of a file; it is not tried again.
    case unreadable(FileKey, String)
    /// A file could not be read. It is tried again when the library is compared.
    case unread(FileKey, StorageError)
    /// Nothing can be read or written. It is tried again after a delay.
    case failed(String)
}

/// The pending work on the small pictures of a library.
///
/// | | contains | first |
/// |---|---|---|
/// | noted | shots with newly durable data, at most ``limit``; beyond it the oldest is dropped and everything is compared | newest |
/// | stale | shots of the day compared last whose manifest differs from the one that their pictures were made from | newest |
/// | days | days not compared yet | newest |
/// | all | whether the days must be listed: at the beginning, after a failure, and after a shot was dropped | – |
///
/// A row is processed when the rows above it are empty. If all are empty, the next step is to rest.
struct PreviewQueue: Sendable {
    /// A shot and its day.
    struct Place: Hashable, Sendable {
        var id: ShotID
        /// `YYYY/MM/DD`
        var day: String
    }

    enum Step: Hashable {
        case make(Place)
        case compare(day: String)
        case list
        case rest
    }

    /// The most shots in `noted`.
    static let limit = 1024

    private(set) var counters = PreviewCounters()
    private var noted: [Place] = []
    private var stale: [Place] = []
    private var days: [String] = []
    private var isListed = false

    /// Notes that a manifest of this shot has become durable.
    mutating func note(_ place: Place) {
        counters.noted &+= 1
        if let index = noted.lastIndex(of: place) {
            noted.remove(at: index)
        } else if noted.count >= Self.limit {
            noted.removeFirst()
            counters.overflows &+= 1
            isListed = false
        }
        noted.append(place)
    }

    mutating func next() -> Step {
        if let place = noted.popLast() ?? stale.popLast() { return .make(place) }
        if let day = days.popLast() { return .compare(day: day) }
        guard !isListed else { return .rest }
        isListed = true
        return .list
    }

    /// - Parameter days: All days of the library and of the small pictures, in any order.
    mutating func listed(_ days: Set<String>) {
        self.days = days.sorted()
        if days.isEmpty { counters.comparisons &+= 1 }
    }

    /// Sets the stale shots of a compared day, oldest first.
    mutating func compared(_ stale: [Place]) {
        self.stale = stale
        if days.isEmpty { counters.comparisons &+= 1 }
    }

    mutating func noteWanted() { counters.wanted &+= 1 }

    mutating func made(isReadable: Bool) {
        if isReadable { counters.made &+= 1 } else { counters.unreadable &+= 1 }
    }

    /// Records that the disk failed, so that everything is compared again.
    mutating func failed() {
        counters.failures &+= 1
        (stale, days, isListed) = ([], [], false)
    }
}

/// Counters of the small pictures made, from the start of the process.
public struct PreviewCounters: Hashable, Sendable {
    /// Changes that were noted.
    public var noted = 0
    /// Shots dropped for lack of room, after which the complete library was compared again.
    public var overflows = 0
    /// Waits for the small pictures of a file.
    public var wanted = 0
    /// Files whose small pictures were made.
    public var made = 0
    /// Files of which no small picture can be made.
    public var unreadable = 0
    /// Comparisons of the complete library that finished.
    public var comparisons = 0
    /// Failures of the disk.
    public var failures = 0
}
