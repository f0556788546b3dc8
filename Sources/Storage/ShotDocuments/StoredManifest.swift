public import CaptureModel
internal import OpenSSL

/// A manifest as a store holds it: the document byte for byte, and its shot.
public struct StoredManifest: Hashable, Sendable {
    public let shot: Shot
    /// The document.
    public let bytes: [UInt8]
    /// The digest of the document, which distinguishes it from every other manifest of the shot.
    public let digest: ContentDigest

    /// Reads a document, which may be from an untrusted source.
    /// - Throws: The errors of ``ShotManifest/decode(_:)``.
    public init(_ bytes: [UInt8]) throws(DocumentError) {
        self.init(try ShotManifest.decode(bytes), bytes)
    }

    /// Creates the document that a store of this version writes for a shot.
    /// - Throws: The errors of ``ShotManifest/encoded()``.
    public init(writing shot: Shot) throws(DocumentError) {
        self.init(shot, try ShotManifest(shot: shot).encoded())
    }

    private init(_ shot: Shot, _ bytes: [UInt8]) {
        self.shot = shot
        self.bytes = bytes
        digest = ContentDigest(hashing: bytes)
    }
}

extension ContentDigest {
    /// Computes the digest of bytes in memory.
    public init(hashing bytes: [UInt8]) {
        guard let digest = ContentDigest(bytes: SHA256.hash(bytes)) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        self = digest
    }

    /// Hashes texts one after the other, each with its length, so that other texts have another digest.
    public init(hashing texts: [String]) {
        self.init(hashing: texts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
    }
}
