public import CaptureModel
internal import FaultPoints
internal import Glibc
public import PosixSupport

/// An append-only log of what happened to a rig's security: who was admitted, refused, revoked, and who changed what. Each record
/// contains a hash over itself and the record before it, so that a change is found (``AuditReader``).
///
/// ``record(_:)`` never waits: an entry waits for the disk in a queue of 4096, beyond which entries are dropped, counted and reported in
/// the log. ``commit(_:)`` returns once the record is durable. Records that are written together are made durable together. While the disk
/// refuses records, they are tried again with every further entry and by ``keepWriting()``.
///
/// The log is bounded: beyond `limitBytes` its oldest file is removed. All file work runs on the executor's thread.
public actor AuditLog {
    /// The interval after which a disk that refused records is tried again.
    public static let retryInterval = Duration.seconds(1)
    /// The lowest limit of a log's bytes.
    public static let minimumLimit: Int64 = 1 << 20

    /// Why the last write failed; nil while writing works.
    public internal(set) var lastProblem: AuditError?
    /// The newest durable record.
    public internal(set) var head: AuditHead

    let folder: Folder
    let limitBytes: Int64
    var segments: [AuditSegment]
    /// Whether the next record begins a file.
    var beginsFile: Bool
    var current: OpenFile?
    /// What a failed write left on the disk, which is removed before the next write.
    var leftover: AuditLeftover?
    nonisolated let queue: AuditQueue
    private nonisolated let clock: any TimeSource
    private nonisolated let refusals: AsyncStream<Void>
    private nonisolated let refusal: AsyncStream<Void>.Continuation
    private nonisolated let executor: ThreadExecutor
    /// nil once the log is closed.
    private var lock: FolderLock?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Opens the log, creates it if it is missing, takes its lock and finds its end. Blocks on the disk.
    ///
    /// An incomplete record at the end, which a crash left, is cut off. If the last file is damaged, it is kept, and a new chain begins in
    /// a new file. A record says either.
    /// - Parameters:
    ///   - path: The folder, created with mode 0700.
    ///   - limitBytes: The bound of all files; at least ``minimumLimit``.
    public init(
        folder path: String, limitBytes: Int64 = 16 << 20, queueLimit: Int = 4096, clock: any TimeSource,
        executor: ThreadExecutor, fault: FileFault? = nil
    ) throws(AuditError) {
        folder = try auditing { () throws(PosixError) in try Folder.make(path, permissions: 0o700, fault: fault) }
        try Self.checkPrivacy(folder)
        lock = try Self.lock(folder)
        let folder = folder
        let recovery = try auditing { () throws(PosixError) in try AuditRecovery(folder) }
        (refusals, refusal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.limitBytes = max(limitBytes, Self.minimumLimit)
        self.clock = clock
        self.executor = executor
        queue = AuditQueue(limit: queueLimit)
        segments = recovery.segments
        head = recovery.head
        beginsFile = recovery.beginsFile
        for note in recovery.notes { _ = queue.append(item(note)) }
    }

    private static func checkPrivacy(_ folder: Folder) throws(AuditError) {
        let status = try auditing { () throws(PosixError) in try folder.status() }
        guard status.owner == geteuid() else {
            throw AuditError(
                .notPrivate, "open", folder.path,
                "the folder of the audit log, \(folder.path), belongs to another user; run this program as its owner")
        }
        guard status.permissions & 0o077 == 0 else {
            throw AuditError(
                .notPrivate, "open", folder.path,
                "others may use the folder of the audit log; run: chmod 700 \(folder.path)")
        }
    }

    private static func lock(_ folder: Folder) throws(AuditError) -> FolderLock {
        do {
            // The lock's file is created here, so that it is private like the others.
            if try folder.entry(".lock") == nil { _ = try? folder.open(".lock", for: .creatingPrivate) }
            return try FolderLock(folder)
        } catch let error as FolderInUse {
            throw AuditError(.inUse, "open", folder.path, "the audit log \(error)")
        } catch let error as PosixError {
            throw AuditError(error)
        } catch {
            throw AuditError(.inputOutput, "open", folder.path, "the audit log fails: \(error)")
        }
    }

    /// Entries that were dropped because too many waited.
    public nonisolated var dropped: UInt64 { queue.dropped }

    /// Records an entry soon. Never waits; from any thread.
    public nonisolated func record(_ entry: AuditEntry) {
        _ = queue.append(item(entry))
        // Unstructured, because the caller does not wait for the disk.
        Task { await writeWaiting() }
    }

    /// Records an entry, and returns once it is durable.
    /// - Returns: The record as the end of the log.
    /// - Throws: `overloaded` if too many entries wait; `noSpace`, `inputOutput`. The entry is then not in the log, or, after a crash right
    ///   then, may be in it.
    @discardableResult
    public nonisolated func commit(_ entry: AuditEntry) async throws(AuditError) -> AuditHead {
        let reply = AuditQueue.Reply(nil)
        guard queue.append(item(entry, reply)) else {
            throw AuditError(
                .overloaded, "append to", folder.path,
                "\(queue.limit) records wait for the audit log; check its disk, and try again")
        }
        // One call writes all that waits or refuses it, so this one or one before it has settled the entry.
        await writeWaiting()
        guard let result = reply.withLock({ $0 }) else {
            throw AuditError(
                .inputOutput, "append to", folder.path, "the audit log \(folder.path) did not write a record")
        }
        return try result.get()
    }

    /// Writes everything that waits.
    /// - Throws: Why something still waits.
    public func flush() throws(AuditError) {
        writeWaiting()
        if let lastProblem, !queue.isEmpty { throw lastProblem }
    }

    /// Writes everything that waits, and gives the folder back. Nothing is written afterwards.
    /// - Throws: Why something was not written. The log is closed nevertheless.
    public func close() throws(AuditError) {
        defer { lock = nil }
        try flush()
    }

    /// Writes what the disk refused once the disk works again, even if nothing further is recorded, until the task is cancelled. For one
    /// task at a time.
    public func keepWriting() async {
        writeWaiting()
        for await _ in refusals {
            while lastProblem != nil, (try? await clock.sleep(for: Self.retryInterval)) != nil { writeWaiting() }
        }
    }

    private nonisolated func item(_ entry: AuditEntry, _ reply: AuditQueue.Reply? = nil) -> AuditQueue.Item {
        AuditQueue.Item(
            entry: entry, realtimeNanoseconds: clock.wallClockPair().realtimeNanoseconds, reply: reply)
    }

    /// - Throws: `EBADF` once the log is closed.
    func checkOpen() throws(PosixError) {
        guard lock == nil else { return }
        throw PosixError(code: EBADF, operation: "append to the closed log", subject: folder.path)
    }

    /// Signals ``keepWriting()`` that the disk refuses records.
    func noteRefusal() { refusal.yield() }
}
