public import CaptureModel
public import PosixSupport
public import StorageKit

/// A catalogue that keeps an SQLite index in the library's folder, on a thread of its own.
///
/// The index is written after the manifests, by nobody else, and read again from them: what is noted is an id. It is made
/// anew where it is missing, damaged, deleted or of another version; meanwhile, and where it cannot be written, answers
/// come from the manifests.
public actor SQLiteCatalogue: Catalogue {
    /// Changes of the same shot within this time are written once.
    static let delay = Duration.milliseconds(250)

    private nonisolated let executor: ThreadExecutor
    private nonisolated let browser: CatalogueBrowser
    private nonisolated let pending = Locked(PendingShots())
    private nonisolated let changed: Alarm
    private nonisolated let clock: any TimeSource
    private let library: any ShotReading
    private let file: IndexFile
    private let tell: @Sendable (CatalogueNews) -> Void
    private var keeper: IndexKeeper?
    private var retry = RetryDelay(first: .seconds(1), last: .seconds(60))

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Nothing is read or written before ``begin()`` and ``run()``.
    /// - Parameters:
    ///   - library: Reads the library.
    ///   - folder: The folder in which the index has its own, such as the library's.
    ///   - tell: Called on the catalogue's thread when something worth a line of a log has happened.
    /// - Throws: Where there is no thread to be had.
    public init(
        _ library: any ShotReading, folder: String, clock: any TimeSource,
        tell: @escaping @Sendable (CatalogueNews) -> Void
    ) throws(PosixError) {
        self.library = library
        self.clock = clock
        self.tell = tell
        file = IndexFile(library: folder)
        executor = try ThreadExecutor(name: "index")
        browser = CatalogueBrowser(
            CatalogueReader(library, folder: folder), executor: try ThreadExecutor(name: "index-read"))
        changed = Alarm(clock: clock)
    }

    public nonisolated func note(_ shot: Shot) {
        let day = ShotDay.name(of: shot)
        pending.withLock { $0.note(shot.id, day: day) }
        changed.ring()
    }

    public nonisolated func shots(_ page: ShotPage) async throws(CaptureProblem) -> CatalogueListing {
        do throws(StorageError) {
            return try await browser.shots(page, pending.withLock { $0.state })
        } catch {
            throw CaptureProblem(error)
        }
    }

    public nonisolated var counters: CatalogueCounters { pending.withLock { $0.counters } }

    /// Whether the index holds all but what was noted last.
    nonisolated var isCurrent: Bool { pending.withLock { $0.phase == .current } }

    /// Marks the index as not closed, which is quick: to be called before a manifest is written, so that whoever reads beside,
    /// or after a crash, does not believe what it says of that one's day.
    public func begin() {
        do {
            let lock = try file.lock()
            defer { withExtendedLifetime(lock) {} }
            try file.markOpen()
        } catch {
            tell(.failed(IndexFault.reason(of: error)))
        }
    }

    /// Keeps the index until the task is cancelled; ``close()`` it then.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await work()
            } catch is CancellationError {
                return
            } catch {
                fail(error)
                // What changes meanwhile is looked at then; the end of the task ends the wait, and the loop.
                try? await clock.sleep(for: retry.take())
            }
        }
    }

    /// Writes what was noted, and leaves the index closed. What is noted later is found by the next comparison only where
    /// a new shot's folder shows it, so nothing may be noted any more.
    public func close() async {
        guard let keeper else { return }
        self.keeper = nil
        do {
            if isCurrent { try await write(keeper) }
            try keeper.close(isComplete: isCurrent)
        } catch {
            tell(.failed(IndexFault.reason(of: error)))
        }
    }

    /// Opens and compares where that is due, then writes what is noted, as long as all goes well.
    private func work() async throws {
        while true {
            let keeper = try openedKeeper()
            if !isCurrent { try await compare(keeper) }
            while isCurrent, pending.withLock({ $0.isEmpty }), !Task.isCancelled { await changed.wait(until: nil) }
            try Task.checkCancellation()
            try await clock.sleep(for: Self.delay)
            guard keeper.isInPlace else { throw IndexFault.absent }
            try await write(keeper)
            try await keeper.settleEarlierDays(clock) { try await clock.sleep(for: $0) }
        }
    }

    private func write(_ keeper: IndexKeeper) async throws {
        try await keeper.update(pending.withLock { $0.take() })
        pending.withLock { $0.commit() }
    }

    private func openedKeeper() throws -> IndexKeeper {
        if let keeper { return keeper }
        let opened = try IndexKeeper(library, file)
        keeper = opened
        if let reason = opened.remade { tell(.remade(reason)) }
        return opened
    }

    /// Compares every shot of the library with the index. It lets go of the processor and the disk as long as it takes them,
    /// since shots may be under way.
    private func compare(_ keeper: IndexKeeper) async throws {
        pending.withLock { $0.begin() }
        let count = try await keeper.compare(clock) { try await clock.sleep(for: $0) }
        pending.withLock { $0.finish() }
        retry.reset()
        tell(.compared(shots: try keeper.shotCount(), changed: count))
    }

    /// A file that is of no use is deleted when it is opened again.
    private func fail(_ error: any Error) {
        keeper = nil
        pending.withLock { $0.fail() }
        tell(.failed(IndexFault.reason(of: error)))
    }
}

/// What a catalogue tells of itself, for a log.
public enum CatalogueNews: Hashable, Sendable {
    /// The index was made anew; the reason goes on after "the index".
    case remade(String)
    /// The index holds so many shots; so many had changed since it was written.
    case compared(shots: Int, changed: Int)
    /// The index cannot be kept; answers come from the manifests until it can. The reason goes on after "the index".
    case failed(String)
}

/// Answers on a thread of its own, so that a long search delays no writing.
actor CatalogueBrowser {
    private let reader: CatalogueReader
    private nonisolated let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ reader: CatalogueReader, executor: ThreadExecutor) {
        self.reader = reader
        self.executor = executor
    }

    func shots(_ page: ShotPage, _ state: IndexState) async throws(StorageError) -> CatalogueListing {
        try await reader.shots(page, state)
    }
}
