public import CaptureModel
internal import Glibc
public import PosixSupport
public import StorageKit

/// Makes the small pictures of what a library has, while it is being written, on a thread of its own.
///
/// It is told of manifests that have become durable and looks at the library by itself; nobody waits for it, and it
/// rests after each picture as long as it has worked. One that cannot be made is told once.
public actor PreviewMaker {
    /// How much later than everything else it gets processor time.
    static let niceness: CInt = 10

    private nonisolated let executor: ThreadExecutor
    private nonisolated let queue = Locked(PreviewQueue())
    private nonisolated let changed: Alarm
    private nonisolated let clock: any TimeSource
    private let library: any ShotReading & AssetReading
    private let folder: String
    private let tell: @Sendable (PreviewNews) -> Void
    private var retry = RetryDelay(first: .seconds(1), last: .seconds(60))

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Nothing is read or written before ``run()``.
    /// - Parameters:
    ///   - library: Reads the library.
    ///   - folder: The folder in which the small pictures have their own, such as the library's.
    ///   - tell: Called on the maker's thread when something worth a line of a log has happened.
    /// - Throws: Where there is no thread to be had.
    public init(
        _ library: any ShotReading & AssetReading, folder: String, clock: any TimeSource,
        tell: @escaping @Sendable (PreviewNews) -> Void
    ) throws(PosixError) {
        self.library = library
        self.folder = folder
        self.clock = clock
        self.tell = tell
        executor = try ThreadExecutor(name: "previews")
        changed = Alarm(clock: clock)
    }

    /// A manifest of this shot has become durable. Returns at once and never fails.
    public nonisolated func note(_ shot: Shot) {
        queue.withLock { $0.note(.init(id: shot.id, day: ShotDay.name(of: shot))) }
        changed.ring()
    }

    public nonisolated var counters: PreviewCounters { queue.withLock { $0.counters } }

    /// Works until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await work()
            } catch is CancellationError {
                return
            } catch {
                queue.withLock { $0.failed() }
                tell(.failed(Self.reason(error)))
                // What changes meanwhile is looked at then; the end of the task ends the wait, and the loop.
                try? await clock.sleep(for: retry.take())
            }
        }
    }

    /// Linux has a niceness for each thread, here the executor's. Where it is refused, the work is done with an ordinary one.
    private func giveWay() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    }

    private func work() async throws {
        giveWay()
        let work = try PreviewWork(library, folder: folder)
        while !Task.isCancelled {
            let began = clock.now()
            switch queue.withLock({ $0.next() }) {
            case .make(let place): try await make(place, work)
            case .compare(let day):
                let stale = try await work.compare(day: day)
                queue.withLock { $0.compared(stale) }
                try await clock.sleep(for: clock.now() - began)
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
        for order in missing.orders {
            let began = clock.now()
            do {
                let problem = try await work.make(order)
                queue.withLock { $0.made(isReadable: problem == nil) }
                tell(problem.map { .unreadable(order.key, "\($0)") } ?? .made(order.key))
            } catch let problem as StorageError {
                isComplete = false
                tell(.unread(order.key, problem))
            }
            try await clock.sleep(for: clock.now() - began)
        }
        if isComplete { try work.finish(place, stamp: missing.stamp) }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? StoreFailure).map { "\($0.cause)" } ?? "\(error)"
    }
}

/// What making small pictures tells of itself, for a log.
public enum PreviewNews: Hashable, Sendable {
    /// The small pictures of a file are there.
    case made(FileKey)
    /// No picture can be made of a file; it is not tried again.
    case unreadable(FileKey, String)
    /// A file could not be read; it is tried again when the library is compared.
    case unread(FileKey, StorageError)
    /// Nothing can be read or written; it is tried again after a while.
    case failed(String)
}
