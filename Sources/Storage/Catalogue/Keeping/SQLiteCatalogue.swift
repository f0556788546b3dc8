public import CaptureModel
public import PosixSupport
public import StorageKit

/// A catalogue with an SQLite index in the library's folder, on a separate thread.
///
/// Only this catalogue writes the index, after the manifests. A note contains an id, and the shot is read from its manifest. The index is
/// created again if it is missing, damaged, deleted or of another version. Until then, and if it cannot be written, answers are from the
/// manifests.
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
    private let tell: @Sendable (CatalogueNotice) -> Void
    private var keeper: IndexWriter?
    private var retry = RetryDelay(first: .seconds(1), last: .seconds(60))

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Nothing is read or written before ``begin()`` and ``run()``.
    /// - Parameters:
    ///   - library: Reads the library.
    ///   - folder: The folder that contains the folder of the index, such as the library's.
    ///   - tell: Called on the catalogue's thread with events for a log.
    /// - Throws: If no thread can be created.
    public init(
        _ library: any ShotReading, folder: String, clock: any TimeSource,
        tell: @escaping @Sendable (CatalogueNotice) -> Void
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

    public nonisolated func shots(_ page: ShotPage) async throws(StorageError) -> CatalogueListing {
        try await browser.shots(page, pending.withLock { $0.state })
    }

    public nonisolated var counters: CatalogueCounters { pending.withLock { $0.counters } }

    /// Whether the index contains everything except what was noted last.
    nonisolated var isCurrent: Bool { pending.withLock { $0.phase == .current } }

    /// Marks the index as not closed, which is fast. Call it before a manifest is written, so that other readers, and readers after a
    /// crash, do not trust the index for the day of that manifest.
    public func begin() {
        do {
            let lock = try file.lock()
            defer { withExtendedLifetime(lock) {} }
            try file.markOpen()
        } catch {
            tell(.failed(IndexFault.reason(of: error)))
        }
    }

    /// Keeps the index current until the task is cancelled. Then call ``close()``.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await work()
            } catch is CancellationError {
                return
            } catch {
                fail(error)
                // Changes during this wait are processed after it. Cancelling the task ends the wait and the loop.
                try? await clock.sleep(for: retry.advance())
            }
        }
    }

    /// Writes what was noted, and closes the index. Nothing may be noted after that: the next comparison would find it only if the folder
    /// of a new shot shows it.
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

    /// Opens the index and compares it if necessary, then writes what is noted, until an error occurs.
    private func work() async throws {
        while true {
            let keeper = try openedKeeper()
            if !isCurrent { try await compare(keeper) }
            while isCurrent, pending.withLock({ $0.isEmpty }), !Task.isCancelled { await changed.wait(until: nil) }
            try Task.checkCancellation()
            try await clock.sleep(for: Self.delay)
            guard keeper.isInPlace else { throw IndexFault.absent }
            try await write(keeper)
            try await keeper.compareEarlierDays(clock) { try await clock.sleep(for: $0) }
        }
    }

    private func write(_ keeper: IndexWriter) async throws {
        try await keeper.update(pending.withLock { $0.removeAll() })
        pending.withLock { $0.commit() }
    }

    private func openedKeeper() throws -> IndexWriter {
        if let keeper { return keeper }
        let opened = try IndexWriter(library, file)
        keeper = opened
        switch opened.origin {
        case .existing: break
        case .made: tell(.made)
        case .remade(let reason): tell(.remade(reason))
        }
        return opened
    }

    /// Compares every shot of the library with the index. After each batch it pauses for as long as the batch took, since shots may be in
    /// progress.
    private func compare(_ keeper: IndexWriter) async throws {
        pending.withLock { $0.begin() }
        let count = try await keeper.compare(clock) { try await clock.sleep(for: $0) }
        pending.withLock { $0.finish() }
        retry.reset()
        tell(.compared(shots: try keeper.shotCount(), changed: count))
    }

    /// Handles an error. An unusable file is deleted when it is opened again.
    private func fail(_ error: any Error) {
        keeper = nil
        pending.withLock { $0.fail() }
        tell(.failed(IndexFault.reason(of: error)))
    }
}

/// An event of a catalogue, for a log.
public enum CatalogueNotice: Hashable, Sendable {
    /// There was no index, and it was created.
    case made
    /// The index could not be used, and was created again. The reason continues the sentence after "the index".
    case remade(String)
    /// The index was compared with the library: the shots that it contains, and those that had changed after it was written.
    case compared(shots: Int, changed: Int)
    /// The index cannot be kept. Answers are from the manifests until it can. The reason continues the sentence after "the index".
    case failed(String)
}

/// Answers on a separate thread, so that a long search does not delay writing.
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
