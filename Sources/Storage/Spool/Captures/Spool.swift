public import CaptureModel
internal import FoundationEssentials
public import PosixSupport
internal import ShotDocuments

/// A node's durable store of captures that the library does not have yet.
///
/// A capture that ``store(_:resolved:timing:files:shortfalls:owed:streamGap:reservation:)`` has returned survives a crash and a power cut, until
/// ``release(_:digest:)`` reports that the library has it, or a person discards it. Nothing else removes it. One process at a time uses a
/// spool. All work runs on the file executor, where it may block on the disk.
public actor Spool {
    /// The problems that the start found and what it did about them: sentences for the log.
    public nonisolated let startupFindings: [String]

    nonisolated let folders: SpoolFolders
    /// Captures of a newer version, whose files this version must not change.
    nonisolated let newer: Set<CaptureKey>
    var reports: [CaptureKey: CaptureReport]
    /// Deferred work that is not finished.
    var works: [CaptureKey: DeferredWork]
    var reservations: [UInt64: Int64] = [:]
    var storedBytes: Int64

    private nonisolated let executor: ThreadExecutor
    private nonisolated let latest = Locked<SpoolUsage?>(nil)
    /// Names of the files in `controls`.
    nonisolated let keptNames: Locked<Set<String>>
    /// Names of the files in `settings`.
    nonisolated let desiredNames: Locked<Set<String>>
    private let lock: FolderLock
    private let limitBytes: Int64
    private let reserveFreeBytes: Int64
    private let startup: SpoolUsage
    private var nextReservation: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Opens the spool, creates it if it is missing, takes its lock and repairs it. Blocks on the disk.
    /// - Parameters:
    ///   - path: The spool's folder.
    ///   - limitBytes: The limit of files and reservations together.
    ///   - reserveFreeBytes: The bytes of the disk that stay free for others.
    ///   - executor: Runs the disk work.
    ///   - fault: For tests: which steps of the file work fail.
    /// - Throws: `FolderInUse` if another process uses it; `PosixError`.
    public init(
        folder path: String, limitBytes: Int64, reserveFreeBytes: Int64, executor: ThreadExecutor,
        fault: FileFault? = nil
    ) throws {
        let root = try Folder.make(path, fault: fault)
        lock = try FolderLock(root)
        try root.checkPublishing(
            of: "the spool", remedy: "set spool.folder to a folder on another disk, such as one of ext4, xfs or btrfs")
        let folders = try SpoolFolders(in: root)
        self.folders = folders
        keptNames = Locked(Set(try folders.controls.folder.entries().map(\.name)))
        desiredNames = Locked(Set(try folders.settings.folder.entries().map(\.name)))
        var work = try DeferredScan(folders.deferred.folder)
        let scan = try SpoolScan(
            captures: folders.captures.folder, damaged: folders.damaged.folder, recordings: folders.recordings.folder,
            works: work.works)
        try work.sweep(scan.reports, newer: scan.newer)
        newer = scan.newer
        reports = scan.reports
        works = work.works
        storedBytes =
            scan.reports.values.reduce(0) { $0 + $1.byteCount } + work.works.values.reduce(0) { $0 + $1.byteCount }
        startupFindings = scan.findings
        // Far enough below the largest number that sums and differences of sizes cannot overflow.
        self.limitBytes = min(max(limitBytes, 0), .max / 4)
        self.reserveFreeBytes = min(max(reserveFreeBytes, 0), .max / 4)
        startup = SpoolUsage(
            limitBytes: self.limitBytes, storedBytes: 0, reservedBytes: 0, keptFreeBytes: self.reserveFreeBytes,
            neededFiles: Self.filesPerCapture, captureCount: 0, fileCount: 0,
            damagedCount: scan.damagedCount, removedLeftovers: scan.removedLeftovers, foreignCount: scan.foreignCount)
        self.executor = executor
    }

    /// Returns the complete captures of the spool in order of key, which is the order of the shots' requests.
    /// - Parameters:
    ///   - key: Only captures after this one are returned; nil starts with the oldest.
    ///   - limit: The most captures to return.
    /// - Returns: The captures, and whether there are more.
    public func inventory(after key: CaptureKey? = nil, limit: Int) -> (captures: [CaptureReport], hasMore: Bool) {
        let keys = reports.keys.filter { candidate in key.map { $0 < candidate } ?? true }.sorted()
        return (keys.prefix(max(limit, 0)).compactMap { reports[$0] }, keys.count > limit)
    }

    /// Returns every complete capture of the spool, in order of key.
    public func inventory() -> [CaptureReport] {
        reports.values.sorted { $0.key < $1.key }
    }

    /// Returns the report of this capture, or nil.
    public func report(of key: CaptureKey) -> CaptureReport? {
        reports[key]
    }

    /// Returns how full the spool is, and whether it can be used. Asks the disk. Makes folders again that somebody has removed.
    public func usage() -> SpoolUsage {
        var usage = startup
        do throws(SpoolError) { try folders.refresh() } catch { usage.problem = error.description }
        usage.losses = folders.losses
        usage.storedBytes = storedBytes
        usage.reservedBytes = reservedBytes
        usage.disk = try? captures.room()
        usage.neededFiles = neededFiles
        usage.captureCount = reports.count
        usage.fileCount = reports.values.reduce(0) { $0 + $1.files.count }
        latest.withLock { $0 = usage }
        return usage
    }

    /// The result of the last call of ``usage()``, as old as that call, without waiting for the disk; nil before the first.
    public nonisolated var lastUsage: SpoolUsage? { latest.withLock { $0 } }

    /// Reserves `byteCount` for a future capture.
    /// - Throws: `noSpace` if limit or disk do not allow it.
    public func reserve(byteCount: Int64) throws(SpoolError) -> SpoolReservation {
        try folders.refresh()
        try checkRoom(for: byteCount)
        nextReservation += 1
        reservations[nextReservation] = byteCount
        return SpoolReservation(id: nextReservation, byteCount: byteCount)
    }

    /// Gives a reservation back. It is not an error if it was used up or given back before.
    public func cancel(_ reservation: SpoolReservation) {
        reservations[reservation.id] = nil
    }

    /// - Throws: `noSpace` if there is no room for `byteCount` more.
    func checkRoom(for byteCount: Int64) throws(SpoolError) {
        guard byteCount >= 0 else {
            throw SpoolError(
                .invalidRequest, "reserve room in", captures.path, "a capture cannot have \(byteCount) bytes")
        }
        let taken = storedBytes + reservedBytes
        guard byteCount <= limitBytes - taken else {
            throw SpoolError(
                .noSpace, "reserve room in", captures.path,
                "the spool \(captures.path) is full: \(byteCount) bytes are needed, \(storedBytes) of its "
                    + "\(limitBytes) bytes are used and \(reservedBytes) reserved; let the coordinator collect, or raise its limit"
            )
        }
        let room = try captures.attempt { () throws(PosixError) in try captures.room() }
        if let obstacle = room.obstacle(toCreating: neededFiles) {
            throw SpoolError(
                obstacle == .readOnly ? .inputOutput : .noSpace, "reserve room in", captures.path,
                "the disk of \(captures.path) \(obstacle)")
        }
        let free = room.freeBytes
        guard byteCount <= free - reserveFreeBytes - reservedBytes else {
            throw SpoolError(
                .noSpace, "reserve room in", captures.path,
                "the disk of \(captures.path) is full: \(byteCount) bytes are needed, \(free) are free, of which "
                    + "\(reservedBytes) are reserved and \(reserveFreeBytes) kept free; free space on it")
        }
    }

    private var reservedBytes: Int64 {
        reservations.values.reduce(0, +)
    }

    /// The most files that a capture has at a time: stills of a bracket, preview, raw file, clip, its encoded files, their sources and what
    /// is being made of them, manifest and work, each with the temporary file that becomes it.
    private static let filesPerCapture: Int64 = 24

    /// The files that the reservations and one more capture may need.
    private var neededFiles: Int64 { Int64(reservations.count + 1) * Self.filesPerCapture }
}

/// The folders of the spool. They are opened again if somebody removes them.
extension Spool {
    nonisolated var captures: Folder { folders.captures.folder }
    nonisolated var damaged: Folder { folders.damaged.folder }
    nonisolated var controls: Folder { folders.controls.folder }
    nonisolated var settings: Folder { folders.settings.folder }
    /// The folder where movies of takes are recorded and finished.
    public nonisolated var recordings: Folder { folders.recordings.folder }
    nonisolated var deferred: Folder { folders.deferred.folder }
}

extension CaptureReport {
    /// The bytes of all its files.
    var byteCount: Int64 {
        files.reduce(0) { $0 + $1.byteCount }
    }
}

/// The content of a file in `controls/`: the values of a camera's controls before a capture sets them.
struct KeptControls: Codable {
    static let currentSchemaVersion = 1

    var schemaVersion = KeptControls.currentSchemaVersion
    /// By name, in the device's units.
    var values: [String: Int64]

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case values = "values"
    }

    init(values: [String: Int64]) {
        self.values = values
    }

    /// - Returns: nil if the bytes are not such a file, or a newer version's.
    init?(_ bytes: [UInt8]) {
        guard let kept = try? JSONDecoder().decode(KeptControls.self, from: Data(bytes)),
            kept.schemaVersion == Self.currentSchemaVersion
        else { return nil }
        self = kept
    }

    func encoded() throws(SpoolError) -> [UInt8] {
        try StoredJSON.spoolDocument(self, "the file of a camera's controls")
    }
}

/// The control values that a capture must restore after it has set its camera, kept in case the process ends before it does.
extension Spool {
    private static let controlsByteLimit = 65_536

    /// Stores the values of a camera's controls durably, and replaces those kept before.
    /// - Throws: `noSpace`, `inputOutput`.
    public func keepControls(_ values: [String: Int64], of device: DeviceID) throws(SpoolError) {
        let content = try KeptControls(values: values).encoded()
        keptNames.withLock { _ = $0.insert(SpoolNames.controls(device)) }
        do {
            try controls.publish([content], as: SpoolNames.controls(device))
        } catch {
            throw SpoolError(error, room: try? controls.room())
        }
    }

    /// Returns whether something may be kept for a camera, without waiting for the disk.
    public nonisolated func mayKeepControls(of device: DeviceID) -> Bool {
        keptNames.withLock { $0.contains(SpoolNames.controls(device)) }
    }

    /// Returns what is kept for a camera; nil if nothing is kept or it cannot be read.
    public func keptControls(of device: DeviceID) -> [String: Int64]? {
        guard let bytes = try? controls.read(SpoolNames.controls(device), limit: Self.controlsByteLimit) else {
            return nil
        }
        return KeptControls(bytes)?.values
    }

    /// Removes the values after they were restored. A power cut may undo the removal; then the camera is set once more.
    public func forgetControls(of device: DeviceID) {
        try? controls.remove(SpoolNames.controls(device))
        keptNames.withLock { _ = $0.remove(SpoolNames.controls(device)) }
    }
}
