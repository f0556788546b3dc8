public import CaptureModel
internal import CaptureSystem
internal import Crypto
internal import FaultPoints
internal import PosixSupport

extension Spool {
    /// A file to be stored: its kind and its bytes, as the pieces they come in.
    public typealias NewFile = (kind: AssetKind, pieces: [[UInt8]])

    /// Stores a capture and returns once it is durable: files first, its manifest last.
    ///
    /// A capture whose key is already stored keeps its files, and their report is returned: the first choice is final.
    /// The reservation is used up, whether this succeeds or not.
    /// - Parameter owed: Files that are made afterwards, and come by ``add(_:to:clip:)`` or ``giveUp(_:of:_:)``.
    /// - Throws: `noSpace`, `inputOutput`; nothing of the capture is left then.
    public func store(
        _ key: CaptureKey, resolved: ResolvedPhotoSettings, timing: FrameTiming, files: [NewFile],
        owed: [AssetKind] = [], streamGap: StreamGap? = nil, reservation: SpoolReservation? = nil
    ) throws(CaptureProblem) -> CaptureReport {
        if let reservation { cancel(reservation) }
        if let stored = reports[key] { return stored }
        let report = CaptureReport(
            key: key, resolved: resolved, timing: timing, files: files.map { Self.describe($0) },
            owed: owed, streamGap: streamGap)
        let isReserved = reservation.map { $0.byteCount >= report.byteCount } ?? false
        if !isReserved { try checkRoom(for: report.byteCount) }
        let manifest = try CaptureManifest(capture: report).encoded()
        let work = Self.firstWork(report)
        let workContent = try work?.encoded()
        do {
            for file in files { try captures.write(file.pieces, to: SpoolNames.file(key, file.kind)) }
            try keepSources(of: report, work: workContent)
            SpoolFault.filesDurable.reached()
            // Its folder sync makes the names of the files above durable too.
            try captures.publish([manifest], as: SpoolNames.manifest(key))
        } catch {
            discard(report)
            if !owed.isEmpty { settleDeferred(key) }
            throw CaptureProblem(error, freeBytes: try? captures.freeBytes())
        }
        reports[key] = report
        works[key] = work
        storedBytes += report.byteCount + (work?.byteCount ?? 0)
        SpoolFault.captureDurable.reached()
        return report
    }

    private static func describe(_ file: NewFile) -> SpooledFile {
        var hash = SHA256()
        var byteCount: Int64 = 0
        for piece in file.pieces {
            hash.update(data: piece)
            byteCount += Int64(piece.count)
        }
        return SpooledFile(kind: file.kind, byteCount: byteCount, digest: ContentDigest(hash.finalize()))
    }

    /// Manifest first, so that no moment shows a manifest without its files. What cannot be removed, the next start
    /// removes.
    private func discard(_ report: CaptureReport) {
        try? captures.remove(SpoolNames.manifest(report.key))
        for file in report.files { try? captures.remove(SpoolNames.file(report.key, file.kind)) }
    }
}
