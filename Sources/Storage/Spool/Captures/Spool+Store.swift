public import CaptureModel
internal import FaultPoints
internal import OpenSSL
internal import PosixSupport

extension Spool {
    /// A file to be stored: its kind and its bytes in pieces.
    public typealias NewFile = (kind: AssetKind, pieces: [[UInt8]])

    /// Stores a capture and returns once it is durable: files first, its manifest last.
    ///
    /// If a capture with this key is already stored, it keeps its files and its report is returned: the first one is final. The reservation
    /// is used up, whether this succeeds or fails.
    /// - Parameters:
    ///   - shortfalls: Why a file is less than was requested, such as a damaged picture.
    ///   - owed: Files that are made later, and end with ``add(_:to:clip:)`` or ``giveUp(_:of:_:)``.
    ///   - failed: Files that there will not be, until ``forgetFailure(_:)``.
    /// - Throws: `noSpace`, `inputOutput`; nothing of the capture is left then.
    public func store(
        _ key: CaptureKey, resolved: ResolvedPhotoSettings, timing: FrameTiming, files: [NewFile],
        shortfalls: [AssetKind: RigProblem] = [:], owed: [AssetKind] = [], failed: [FailedFile] = [],
        streamGap: StreamGap? = nil, reservation: SpoolReservation? = nil
    ) throws(SpoolError) -> CaptureReport {
        if let reservation { cancel(reservation) }
        if let stored = reports[key] { return stored }
        try folders.refresh()
        let report = CaptureReport(
            key: key, resolved: resolved, timing: timing, files: files.map { Self.describe($0, shortfalls[$0.kind]) },
            owed: owed, failed: failed, streamGap: streamGap)
        let isReserved = reservation.map { $0.byteCount >= report.byteCount } ?? false
        if !isReserved { try checkRoom(for: report.byteCount) }
        let manifest = try CaptureManifest(capture: report).encoded()
        let work = Self.firstWork(report)
        let workContent = try work?.encoded()
        do {
            for file in files { try captures.write(file.pieces, to: SpoolNames.file(key, file.kind)) }
            try keepSources(of: report, work: workContent)
            SpoolFault.filesDurable.reached()
            // The folder sync of this call makes the names of the files above durable too.
            try captures.publish([manifest], as: SpoolNames.manifest(key))
        } catch {
            discard(report)
            if !owed.isEmpty { removeUnowedDeferred(key) }
            throw SpoolError(error, room: try? captures.room())
        }
        reports[key] = report
        works[key] = work
        storedBytes += report.byteCount + (work?.byteCount ?? 0)
        SpoolFault.captureDurable.reached()
        return report
    }

    private static func describe(_ file: NewFile, _ shortfall: RigProblem?) -> SpooledFile {
        var hash = SHA256()
        var byteCount: Int64 = 0
        for piece in file.pieces {
            hash.update(piece)
            byteCount += Int64(piece.count)
        }
        return SpooledFile(
            kind: file.kind, byteCount: byteCount, digest: ContentDigest(hash.finalize()), shortfall: shortfall)
    }

    /// Removes the manifest first, so that it is never visible without its files. What cannot be removed, the next start removes.
    private func discard(_ report: CaptureReport) {
        try? captures.remove(SpoolNames.manifest(report.key))
        for file in report.files { try? captures.remove(SpoolNames.file(report.key, file.kind)) }
    }
}

/// The files of one capture in `damaged/`.
public struct DamagedCapture: Hashable, Sendable {
    public var key: CaptureKey
    /// Names in `damaged/`. If a capture was moved there more than once, some have numbers.
    public var names: [String]
    /// Bytes of these files.
    public var byteCount: Int64
}

/// Removal by a person.
extension Spool {
    /// Removes a capture permanently, whatever the library has of it.
    /// - Returns: The removed capture; nil if it does not exist.
    /// - Throws: `inputOutput`; a repeat finishes the work.
    @discardableResult
    public func discard(_ key: CaptureKey) throws(SpoolError) -> CaptureReport? {
        guard let report = reports[key] else { return nil }
        // As with a release, the manifest is removed first, durably, so that it is never visible without its files.
        try captures.attempt { () throws(PosixError) in
            try captures.remove(SpoolNames.manifest(key))
            try captures.sync()
            for kind in report.files.map(\.kind) + report.failed.map(\.kind) {
                try captures.remove(SpoolNames.file(key, kind))
            }
        }
        if report.owedSegment == nil { removeRecordings { $0 == key } }
        reports[key] = nil
        storedBytes -= report.byteCount
        if report.resolved.isProcessedLater { removeUnowedDeferred(key) }
        return report
    }

    /// Returns the captures that were moved aside, in order of key.
    public func damagedCaptures() throws(SpoolError) -> [DamagedCapture] {
        let entries = try damaged.attempt { () throws(PosixError) in try damaged.entries() }
        var found: [CaptureKey: DamagedCapture] = [:]
        for entry in entries {
            guard entry.kind == .file, let key = SpoolNames.key(of: entry.name) else { continue }
            var capture = found[key] ?? DamagedCapture(key: key, names: [], byteCount: 0)
            capture.names.append(entry.name)
            capture.byteCount += entry.byteCount
            found[key] = capture
        }
        return found.values.sorted { $0.key < $1.key }
    }

    /// Removes the files of a capture that were moved aside.
    /// - Returns: The removed capture; nil if there is none.
    @discardableResult
    public func discardDamaged(_ key: CaptureKey) throws(SpoolError) -> DamagedCapture? {
        guard let capture = try damagedCaptures().first(where: { $0.key == key }) else { return nil }
        try damaged.attempt { () throws(PosixError) in
            for name in capture.names { try damaged.remove(name) }
            try damaged.sync()
        }
        return capture
    }
}

extension Spool {
    /// Returns the captures of ``inventory(after:limit:)``, each compared with the names and sizes on the disk. Blocks on the disk.
    /// - Throws: `inputOutput` if the folder cannot be read.
    public func holdings(
        after key: CaptureKey? = nil, limit: Int
    ) throws(SpoolError) -> (captures: [SpoolContentEntry], hasMore: Bool) {
        let entries = try captures.attempt { () throws(PosixError) in try captures.entries() }
        let sizes = Dictionary(
            entries.lazy.filter { $0.kind == .file }.map { ($0.name, $0.byteCount) },
            uniquingKeysWith: { first, _ in first })
        let page = inventory(after: key, limit: limit)
        return (page.captures.map { Self.holding($0, sizes) }, page.hasMore)
    }

    private static func holding(_ report: CaptureReport, _ sizes: [String: Int64]) -> SpoolContentEntry {
        let there = report.files.filter { sizes[SpoolNames.file(report.key, $0.kind)] == $0.byteCount }
        return SpoolContentEntry(
            report: report, files: there.count, byteCount: there.reduce(0) { $0 + $1.byteCount },
            isWhole: there.count == report.files.count && sizes[SpoolNames.manifest(report.key)] != nil)
    }
}

/// A capture of the spool, and how much of it is on the disk at this moment.
public struct SpoolContentEntry: Hashable, Sendable {
    public var report: CaptureReport
    /// The number of the report's files that are on the disk completely, and their bytes.
    public var files: Int
    public var byteCount: Int64
    /// Whether the manifest and every file of the report are on the disk completely. Somebody may have removed one by hand.
    public var isWhole: Bool
}

/// Room reserved in a spool, so that an armed camera can store its capture.
/// ``Spool/store(_:resolved:timing:files:shortfalls:owed:streamGap:reservation:)`` uses it up; ``Spool/cancel(_:)`` gives it back.
public struct SpoolReservation: Hashable, Sendable {
    let id: UInt64
    /// The reserved bytes.
    public let byteCount: Int64
}
