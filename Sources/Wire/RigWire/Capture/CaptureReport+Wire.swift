public import CaptureModel
public import RigProtocol

extension SpooledFile {
    public init(wire: WireSpooledFile) throws(WireError) {
        let reader = FieldReader("SpooledFile")
        self.init(
            kind: try reader.word(wire.kind, "kind", as: AssetKind.self),
            byteCount: try reader.number(wire.byteCount, "byte_count", in: 1...WireLimits.fileByteCount),
            digest: try ContentDigest(wire: wire.sha256),
            shortfall: wire.hasShortfall ? CaptureProblem(wire: wire.shortfall) : nil)
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

    /// Of a recording in many files, the first ones that the spool has: ``firstSegments``.
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
