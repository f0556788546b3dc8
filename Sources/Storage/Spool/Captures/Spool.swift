public import CaptureModel
import CaptureSystem
public import PosixSupport

/// A node's durable store of captures that the library does not have yet.
///
/// What ``store(_:resolved:timing:files:owed:streamGap:reservation:)`` has returned survives a crash and a power cut, until
/// ``release(_:digest:)`` says that the library has it, or a person discards it; nothing else removes it. One process at a time works in a
/// spool. All work runs on the file executor, where it may block on the disk.
public actor Spool {
    /// What the start found amiss and did about it: sentences for the log.
    public nonisolated let startupFindings: [String]

    let captures: Folder
    let damaged: Folder
    let controls: Folder
    /// Where movies of takes are recorded and finished.
    public nonisolated let recordings: Folder
    let deferred: Folder
    /// Captures of a newer version, whose files are not this one's to touch.
    nonisolated let newer: Set<CaptureKey>
    var reports: [CaptureKey: CaptureReport]
    /// Deferred work of which something is still to be done.
    var works: [CaptureKey: DeferredWork]
    var reservations: [UInt64: Int64] = [:]
    var storedBytes: Int64

    private nonisolated let executor: ThreadExecutor
    private nonisolated let latest = Locked<SpoolUsage?>(nil)
    /// Names of the files in `controls`.
    nonisolated let keptNames: Locked<Set<String>>
    private let lock: FolderLock
    private let limitBytes: Int64
    private let reserveFreeBytes: Int64
    private let startup: SpoolUsage
    private var nextReservation: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Opens the spool, creates it where missing, takes its lock and repairs it. Blocks on the disk.
    /// - Parameters:
    ///   - path: The spool's folder.
    ///   - limitBytes: What files and reservations may take together.
    ///   - reserveFreeBytes: What stays free on the disk for others.
    ///   - executor: Where the disk work runs.
    ///   - fault: For tests: which steps of the file work fail.
    /// - Throws: `FolderInUse` where another process works in it; `PosixError`.
    public init(
        folder path: String, limitBytes: Int64, reserveFreeBytes: Int64, executor: ThreadExecutor,
        fault: FileFault? = nil
    ) throws {
        let root = try Folder.make(path, fault: fault)
        lock = try FolderLock(root)
        captures = try root.makeDurableFolder(SpoolNames.captures)
        damaged = try root.makeDurableFolder(SpoolNames.damaged)
        controls = try root.makeDurableFolder(SpoolNames.controls)
        recordings = try root.makeDurableFolder(SpoolNames.recordings)
        keptNames = Locked(Set(try controls.entries().map(\.name)))
        deferred = try root.makeDurableFolder(SpoolNames.deferred)
        var work = try DeferredScan(deferred)
        let scan = try SpoolScan(captures: captures, damaged: damaged, recordings: recordings, works: work.works)
        try work.sweep(scan.reports, newer: scan.newer)
        newer = scan.newer
        reports = scan.reports
        works = work.works
        storedBytes =
            scan.reports.values.reduce(0) { $0 + $1.byteCount } + work.works.values.reduce(0) { $0 + $1.byteCount }
        startupFindings = scan.findings
        // So far below the largest number that sums and differences of sizes cannot overflow.
        self.limitBytes = min(max(limitBytes, 0), .max / 4)
        self.reserveFreeBytes = min(max(reserveFreeBytes, 0), .max / 4)
        startup = SpoolUsage(
            limitBytes: self.limitBytes, storedBytes: 0, reservedBytes: 0, keptFreeBytes: self.reserveFreeBytes,
            captureCount: 0, fileCount: 0,
            damagedCount: scan.damagedCount, removedLeftovers: scan.removedLeftovers, foreignCount: scan.foreignCount)
        self.executor = executor
    }

    /// The captures that lie whole in the spool, in order of key, which is that of the shots' requests.
    /// - Parameters:
    ///   - key: Only those after this one; nil: from the oldest.
    ///   - limit: How many at most.
    /// - Returns: The captures, and whether there are further ones.
    public func inventory(after key: CaptureKey? = nil, limit: Int) -> (captures: [CaptureReport], hasMore: Bool) {
        let keys = reports.keys.filter { candidate in key.map { $0 < candidate } ?? true }.sorted()
        return (keys.prefix(max(limit, 0)).compactMap { reports[$0] }, keys.count > limit)
    }

    /// Every capture that lies whole in the spool, in order of key.
    public func inventory() -> [CaptureReport] {
        reports.values.sorted { $0.key < $1.key }
    }

    /// What lies in the spool of this capture, or nil.
    public func report(of key: CaptureKey) -> CaptureReport? {
        reports[key]
    }

    /// How full the spool is.
    public func usage() -> SpoolUsage {
        var usage = startup
        usage.storedBytes = storedBytes
        usage.reservedBytes = reservedBytes
        usage.freeBytes = try? captures.freeBytes()
        usage.captureCount = reports.count
        usage.fileCount = reports.values.reduce(0) { $0 + $1.files.count }
        latest.withLock { $0 = usage }
        return usage
    }

    /// What the last call of ``usage()`` found, without waiting for the disk; nil before the first. As old as that call.
    public nonisolated var lastUsage: SpoolUsage? { latest.withLock { $0 } }

    /// Sets `byteCount` aside for a capture to come.
    /// - Throws: `noSpace` where limit or disk do not allow it.
    public func reserve(byteCount: Int64) throws(CaptureProblem) -> SpoolReservation {
        try checkRoom(for: byteCount)
        nextReservation += 1
        reservations[nextReservation] = byteCount
        return SpoolReservation(id: nextReservation, byteCount: byteCount)
    }

    /// Gives a reservation back; one that is used up or given back already is no error.
    public func cancel(_ reservation: SpoolReservation) {
        reservations[reservation.id] = nil
    }

    /// - Throws: `noSpace` where `byteCount` more bytes are not to be had.
    func checkRoom(for byteCount: Int64) throws(CaptureProblem) {
        guard byteCount >= 0 else {
            throw CaptureProblem(.protocolViolation, "a capture cannot have \(byteCount) bytes")
        }
        let taken = storedBytes + reservedBytes
        guard byteCount <= limitBytes - taken else {
            throw CaptureProblem(
                .noSpace,
                "the spool \(captures.path) is full: \(byteCount) bytes are needed, \(storedBytes) of its "
                    + "\(limitBytes) bytes are used and \(reservedBytes) reserved; let the coordinator collect, or raise its limit"
            )
        }
        let free = try captures.attempt { () throws(PosixError) in try captures.freeBytes() }
        guard byteCount <= free - reserveFreeBytes - reservedBytes else {
            throw CaptureProblem(
                .noSpace,
                "the disk of \(captures.path) is full: \(byteCount) bytes are needed, \(free) are free, of which "
                    + "\(reservedBytes) are reserved and \(reserveFreeBytes) kept free; free space on it")
        }
    }

    private var reservedBytes: Int64 {
        reservations.values.reduce(0, +)
    }
}

extension CaptureReport {
    /// Bytes of all its files.
    var byteCount: Int64 {
        files.reduce(0) { $0 + $1.byteCount }
    }
}
