public import CaptureModel
internal import OpenSSL

/// A stored file of a shot, as the shot's manifest names it.
public struct StoredAsset: Hashable, Sendable {
    public var shot: ShotID
    /// Path inside the shot's folder.
    public var file: String
    public var byteCount: Int64
    public var digest: ContentDigest

    /// - Returns: nil if the manifest does not say that the file is stored.
    public init?(_ file: CapturedFile, of shot: ShotID) {
        guard file.isStored, let path = file.path, let byteCount = file.byteCount, byteCount >= 0,
            let digest = file.digest
        else { return nil }
        self.init(shot: shot, file: path, byteCount: byteCount, digest: digest)
    }

    public init(shot: ShotID, file: String, byteCount: Int64, digest: ContentDigest) {
        self.shot = shot
        self.file = file
        self.byteCount = byteCount
        self.digest = digest
    }
}

/// The SHA-256 of a file's first bytes. To continue with a partly read file, hash its existing bytes first.
public struct AssetHash: Sendable {
    private var hash = SHA256()
    /// How many bytes were hashed, and so where the file continues.
    public private(set) var byteCount: Int64 = 0

    public init() {}

    public mutating func update(_ bytes: [UInt8]) {
        hash.update(bytes)
        byteCount += Int64(bytes.count)
    }

    /// The digest of the bytes hashed so far.
    public var digest: ContentDigest {
        guard let digest = ContentDigest(bytes: hash.finalize()) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }
}
