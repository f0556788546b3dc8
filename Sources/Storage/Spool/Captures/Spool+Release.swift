public import CaptureModel
internal import CaptureSystem
internal import FaultPoints
internal import PosixSupport

extension Spool {
    /// Up to `count` bytes of a file from `offset`; fewer at its end, none beyond.
    /// - Throws: `fileLost` where the spool does not have the file; `inputOutput`.
    public func read(_ key: FileKey, offset: Int64, count: Int) throws(CaptureProblem) -> [UInt8] {
        guard let file = file(key) else {
            throw CaptureProblem(.fileLost, "the spool \(captures.path) has no \(key.kind) of \(key.capture)")
        }
        let name = SpoolNames.file(key.capture, file.kind)
        guard try captures.attempt({ () throws(PosixError) in try captures.entry(name) }) != nil else {
            throw CaptureProblem(.fileLost, "\(captures.path(of: name)) was removed by somebody else")
        }
        return try captures.attempt { () throws(PosixError) in
            try captures.open(name, for: .reading).read(at: offset, count: count)
        }
    }

    /// Removes a file that the library holds durable; the capture goes with its last file.
    ///
    /// A file that is not there is no error, since an acknowledgement may be repeated.
    /// - Parameter digest: What the library stored.
    /// - Throws: `conflict` where the digest is not this file's, which then stays; `inputOutput`, and a repeat
    ///   finishes the work.
    public func release(_ key: FileKey, digest: ContentDigest) throws(CaptureProblem) {
        guard let file = file(key), var report = reports[key.capture] else { return }
        guard file.digest == digest else {
            throw CaptureProblem(
                .conflict,
                "\(key) is kept in the spool: the library stored \(digest), but its SHA-256 is \(file.digest)")
        }
        report.files.removeAll { $0.kind == key.kind }
        // The manifest stops naming the file, durably, before the file goes: a crash in between leaves a file that
        // nobody names, which the next start removes.
        try replace(report)
        try captures.attempt { () throws(PosixError) in
            try captures.remove(SpoolNames.file(key.capture, key.kind))
        }
        reports[key.capture] = report.isSpent ? nil : report
        storedBytes -= file.byteCount
        SpoolFault.fileReleased.reached()
    }

    /// Forgets that a file of a capture failed, since the library's manifest says so; harmless where it did not. The
    /// capture goes with what is left of it, but for what was recorded, which is kept for people: see ``setAside(_:of:)``.
    /// - Throws: `inputOutput`, `noSpace`, and a repeat finishes the work.
    public func forgetFailure(_ key: FileKey) throws(CaptureProblem) {
        guard var report = reports[key.capture], report.failed.contains(where: { $0.kind == key.kind }) else { return }
        if let segment = report.lostSegment(of: key.kind) {
            // Only what no manifest names as stored is moved, and nothing knows of it any more once it is forgotten.
            try replace(report)
            try setAside(segment, of: key.capture)
        }
        report.failed.removeAll { $0.kind == key.kind }
        try replace(report)
        discardUnfinished(key)
        reports[key.capture] = report.isSpent ? nil : report
    }

    /// Makes a report the durable manifest of its capture; removes the manifest where nothing is left to say. Then no
    /// manifest names the file of what failed any more, and it goes, or is set aside.
    func replace(_ report: CaptureReport) throws(CaptureProblem) {
        let name = SpoolNames.manifest(report.key)
        let manifest = report.isSpent ? nil : try CaptureManifest(capture: report).encoded()
        try captures.attempt { () throws(PosixError) in
            if let manifest {
                try captures.publish([manifest], as: name)
            } else {
                try captures.remove(name)
                try captures.sync()
            }
        }
        for kind in report.failed.map(\.kind) {
            if let segment = report.lostSegment(of: kind) {
                _ = try? setAside(segment, of: report.key)
            } else {
                discardUnfinished(FileKey(capture: report.key, kind: kind))
            }
        }
    }

    private func file(_ key: FileKey) -> SpooledFile? {
        reports[key.capture]?.files.first { $0.kind == key.kind }
    }
}

extension CaptureReport {
    /// The file of a recording that a kind is of, where its movie failed.
    fileprivate func lostSegment(of kind: AssetKind) -> SegmentNumber? {
        kind.segment.flatMap { segment in failed.contains { $0.kind == .movie(segment) } ? segment : nil }
    }
}
