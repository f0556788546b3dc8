/// A complete file in a node's spool.
public struct SpooledFile: Hashable, Codable, Sendable {
    public var kind: AssetKind
    /// Size in bytes.
    public var byteCount: Int64
    public var digest: ContentDigest
    /// Why it is less than was requested, such as a clip that could not be encoded; nil if it is as requested.
    public var shortfall: RigProblem?

    public init(kind: AssetKind, byteCount: Int64, digest: ContentDigest, shortfall: RigProblem? = nil) {
        self.kind = kind
        self.byteCount = byteCount
        self.digest = digest
        self.shortfall = shortfall
    }

    private enum CodingKeys: String, CodingKey {
        case kind = "kind"
        case byteCount = "byteCount"
        case digest = "digest"
        case shortfall = "shortfall"
    }
}
