public import CaptureModel
public import FoundationEssentials

extension ShotID {
    /// The 16 bytes of the id, in the order in which they are written.
    public var wire: Data { Data(bytes) }
}

extension Epoch {
    /// The number, which is never 0.
    public var wire: UInt64 { rawValue }
}

extension ContentDigest {
    public init(wire: Data) throws(WireError) {
        guard let digest = ContentDigest(bytes: wire) else {
            let reason = "must have 32 bytes, and has \(wire.count)"
            throw WireError(.invalid, message: "SHA-256", field: "sha256", reason: reason)
        }
        self = digest
    }

    /// The 32 bytes of the digest.
    public var wire: Data { Data(bytes) }
}
