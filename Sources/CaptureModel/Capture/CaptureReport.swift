/// What a node says of a capture it has made: the frame it chose and the files that lie durable in its spool.
/// Sent when the capture is made, and again in the inventory of every hello until its files are released.
public struct CaptureReport: Hashable, Codable, Sendable {
    public var key: CaptureKey
    public var resolved: ResolvedPhotoSettings
    public var timing: FrameTiming
    public var files: [SpooledFile]
    /// How long the stream was away for it; nil where the still is a frame of the stream.
    public var streamGap: StreamGap?

    public init(
        key: CaptureKey, resolved: ResolvedPhotoSettings, timing: FrameTiming, files: [SpooledFile],
        streamGap: StreamGap? = nil
    ) {
        self.key = key
        self.resolved = resolved
        self.timing = timing
        self.files = files
        self.streamGap = streamGap
    }
}

/// A whole file in a node's spool.
public struct SpooledFile: Hashable, Codable, Sendable {
    public var kind: AssetKind
    /// Size in bytes.
    public var byteCount: Int64
    public var digest: ContentDigest

    public init(kind: AssetKind, byteCount: Int64, digest: ContentDigest) {
        self.kind = kind
        self.byteCount = byteCount
        self.digest = digest
    }
}
