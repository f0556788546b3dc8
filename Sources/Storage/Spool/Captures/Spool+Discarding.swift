public import CaptureModel
internal import CaptureSystem
internal import PosixSupport

/// What a person has removed.
extension Spool {
    /// Removes a capture for good, whatever the library has of it.
    /// - Returns: What it was; nil where it is not there.
    /// - Throws: `inputOutput`, and a repeat finishes the work.
    @discardableResult
    public func discard(_ key: CaptureKey) throws(CaptureProblem) -> CaptureReport? {
        guard let report = reports[key] else { return nil }
        // As with a release: the manifest goes first, durably, so that no moment shows it without its files.
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
        if report.resolved.isProcessedLater { settleDeferred(key) }
        return report
    }

    /// The captures that were moved aside, in order of key.
    public func damagedCaptures() throws(CaptureProblem) -> [DamagedCapture] {
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

    /// Removes what was moved aside of a capture.
    /// - Returns: What it was; nil where there is nothing.
    @discardableResult
    public func discardDamaged(_ key: CaptureKey) throws(CaptureProblem) -> DamagedCapture? {
        guard let capture = try damagedCaptures().first(where: { $0.key == key }) else { return nil }
        try damaged.attempt { () throws(PosixError) in
            for name in capture.names { try damaged.remove(name) }
            try damaged.sync()
        }
        return capture
    }
}
