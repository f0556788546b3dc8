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
