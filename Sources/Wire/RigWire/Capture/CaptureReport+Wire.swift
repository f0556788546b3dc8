public import CaptureModel
public import RigProtocol

extension SpooledFile {
    public init(wire: WireSpooledFile) throws(WireError) {
        let reader = FieldReader("SpooledFile")
        self.init(
            kind: try reader.word(wire.kind, "kind", as: AssetKind.self),
            byteCount: try reader.number(wire.byteCount, "byte_count", in: 1...WireLimits.fileByteCount),
            digest: try ContentDigest(wire: wire.sha256),
            shortfall: wire.hasShortfall ? RigProblem(wire: wire.shortfall) : nil)
    }

    public var wire: WireSpooledFile {
        var wire = WireSpooledFile()
        wire.kind = kind.rawValue
        wire.byteCount = byteCount
        wire.sha256 = digest.wire
        if let shortfall { wire.shortfall = shortfall.wire }
        return wire
    }
}

extension CaptureReport {
    public init(wire: WireCaptureReport) throws(WireError) {
        let reader = FieldReader("CaptureReport")
        let device = try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device"))
        let resolved = try reader.present(wire.hasResolved ? wire.resolved : nil, "resolved")
        let timing = try reader.present(wire.hasTiming ? wire.timing : nil, "timing")
        self.init(
            key: CaptureKey(shot: try reader.shotID(wire.shotID), device: device),
            resolved: try ResolvedPhotoSettings(wire: resolved),
            timing: try FrameTiming(wire: timing),
            files: try reader.list(wire.files, "files", limit: WireLimits.filesPerCapture).map(SpooledFile.init(wire:)),
            owed: try reader.list(wire.owed, "owed", limit: WireLimits.companionsPerCapture)
                .map { (kind) throws(WireError) in try reader.word(kind, "owed", as: AssetKind.self) },
            failed: try reader.list(wire.failed, "failed", limit: WireLimits.companionsPerCapture)
                .map(FailedFile.init(wire:)),
            clip: wire.hasClip ? try ClipTiming(wire: wire.clip) : nil,
            streamGap: wire.hasStreamGap ? try StreamGap(wire: wire.streamGap) : nil,
            movie: wire.hasMovie ? try RecordedMovie(wire: wire.movie) : nil)
        let kinds = files.map(\.kind) + owed + failed.map(\.kind)
        guard !kinds.isEmpty else { throw reader.invalid("files", "is empty; a capture has a file") }
        guard Set(kinds).count == kinds.count else { throw reader.invalid("files", "names a kind twice") }
    }

    /// The report on the wire. Of a recording with many files, it has only the first ones in the spool: ``firstSegments``.
    public var wire: WireCaptureReport {
        firstSegments.whole
    }

    private var whole: WireCaptureReport {
        var wire = WireCaptureReport()
        wire.shotID = key.shot.wire
        wire.device = key.device.wire
        wire.resolved = resolved.wire
        wire.timing = timing.wire
        wire.files = files.map(\.wire)
        wire.owed = owed.map(\.rawValue)
        wire.failed = failed.map(\.wire)
        if let clip { wire.clip = clip.wire }
        if let streamGap { wire.streamGap = streamGap.wire }
        if let movie { wire.movie = movie.wire }
        return wire
    }
}

extension RigProblem {
    /// Creates a problem and never fails: whatever the peer reports, something went wrong, and its outcome must not be lost.
    ///
    /// A code that this version does not know becomes `protocolViolation`, because there is no code for other problems.
    /// The message is kept and names the peer's code. ``WireProblem`` still has the code.
    public init(wire: WireProblem) {
        let message = wire.message.sentence(limit: WireLimits.problemByteCount)
        if let code = Code(rawValue: wire.code) {
            self.init(code, message)
        } else {
            let code = wire.code.sentence(limit: WireLimits.wordByteCount)
            self.init(.protocolViolation, "\(message) (problem code '\(code)', which this version does not know)")
        }
    }

    public var wire: WireProblem {
        var wire = WireProblem()
        wire.code = code.rawValue
        wire.message = message.sentence(limit: WireLimits.problemByteCount)
        return wire
    }
}

extension CaptureReport {
    /// The part of a recording's report that fits into a message: its first files in the spool, with the next one owed.
    /// The coordinator asks again while a file is owed, and learns of further files as it releases earlier ones. A
    /// report therefore stays small, however long the recording and the coordinator's absence are.
    var firstSegments: CaptureReport {
        guard let next = firstSegmentBeyondLimits else { return self }
        var report = self
        report.files.removeAll { $0.kind.segment.map { $0 >= next } ?? false }
        report.failed.removeAll { $0.kind.segment.map { $0 >= next } ?? false }
        report.owed = AssetKind.ofRecording(next)
        return report
    }

    private var firstSegmentBeyondLimits: SegmentNumber? {
        var (fileCount, failureCount) = (0, 0)
        let segments = Set((files.map(\.kind) + failed.map(\.kind)).compactMap(\.segment))
        return segments.sorted().first { segment in
            fileCount += files.count { $0.kind.segment == segment }
            failureCount += failed.count { $0.kind.segment == segment }
            return fileCount > WireLimits.filesPerCapture || failureCount > WireLimits.companionsPerCapture
        }
    }
}

extension FailedFile {
    init(wire: WireFailedFile) throws(WireError) {
        let reader = FieldReader("FailedFile")
        self.init(
            kind: try reader.word(wire.kind, "kind", as: AssetKind.self),
            problem: RigProblem(wire: try reader.present(wire.hasProblem ? wire.problem : nil, "problem")))
    }

    var wire: WireFailedFile {
        var wire = WireFailedFile()
        wire.kind = kind.rawValue
        wire.problem = problem.wire
        // An inventory has many captures.
        wire.problem.message = problem.message.sentence(limit: WireLimits.reasonByteCount)
        return wire
    }
}

extension StreamGap {
    init(wire: WireStreamGap) throws(WireError) {
        let reader = FieldReader("StreamGap")
        self.init(
            localStart: LocalTime(nanoseconds: wire.localStartNs),
            start: wire.hasRigStartNs ? RigTime(nanoseconds: wire.rigStartNs) : nil,
            nanoseconds: wire.hasLengthNs
                ? try reader.number(wire.lengthNs, "length_ns", in: WireLimits.nonNegative) : nil)
    }

    var wire: WireStreamGap {
        var wire = WireStreamGap()
        wire.localStartNs = localStart.nanoseconds
        if let start { wire.rigStartNs = start.nanoseconds }
        if let nanoseconds { wire.lengthNs = nanoseconds }
        return wire
    }
}
