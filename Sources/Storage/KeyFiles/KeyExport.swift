internal import FoundationEssentials
internal import OpenSSL
public import PosixSupport
public import ZeroMQ

/// A coordinator's key pair and the registry of its rig's keys, encrypted with a passphrase, so that a rig survives the loss of its coordinator's
/// disk. docs/keys.md describes the file.
///
/// The passphrase becomes a key by scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)), and ChaCha20-Poly1305
/// ([RFC 8439](https://www.rfc-editor.org/rfc/rfc8439)) encrypts and authenticates the content. Making and opening one takes 128 MiB of memory for
/// about half a second.
public struct KeyExport: Sendable {
    /// The fewest characters of a passphrase.
    public static let shortestPassphrase = 12
    /// The longest file, in bytes.
    public static let longest = 32 << 20

    /// The rig's name.
    public var rig: String
    /// When it was made, ISO 8601 in UTC.
    public var created: String
    public var pair: CurveKeyPair
    /// The document of the registry of keys; nil if there was none.
    public var registry: [UInt8]?

    public init(rig: String, created: UTCDate, pair: CurveKeyPair, registry: [UInt8]?) {
        (self.rig, self.created, self.pair, self.registry) = (rig, created.secondsText, pair, registry)
    }
}

extension KeyExport {
    /// The members of the file.
    private struct Envelope: Codable {
        var caprigKeys = 1
        var salt: Data
        /// scrypt's cost, block size and parallelism.
        var n = 1 << 17
        var r = KeyExport.blockSize
        var p = 1
        /// Nonce, ciphertext and tag of ChaCha20-Poly1305.
        var sealed: Data
    }

    /// What is encrypted.
    private struct Content: Codable {
        var rig: String
        var created: String
        var secretKey: String
        var registry: Data?
    }

    /// The bound of scrypt's cost of a file that is opened: a file may come from anywhere.
    private static let highestCost = 1 << 20
    private static let blockSize = 8

    /// Encrypts the export.
    /// - Throws: `shortPassphrase`, or `OpenSSLError` if the machine lacks memory or randomness.
    public func sealed(with passphrase: String) throws -> [UInt8] {
        guard passphrase.count >= Self.shortestPassphrase else { throw KeyExportError.shortPassphrase }
        let content = try JSONEncoder().encode(
            Content(
                rig: rig, created: created, secretKey: pair.secretKey.z85, registry: registry.map { Data($0) }))
        var envelope = Envelope(salt: Data(try RandomBytes.make(count: 32)), sealed: Data())
        let key = try Self.key(passphrase, envelope)
        envelope.sealed = Data(try ChaCha20Poly1305.seal(Array(content), key: key))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return Array(try encoder.encode(envelope)) + [UInt8(ascii: "\n")]
    }

    /// Decrypts an export.
    /// - Throws: ``KeyExportError``, or `OpenSSLError` if the machine lacks memory.
    public init(opening bytes: [UInt8], with passphrase: String) throws {
        let envelope: Envelope
        do {
            envelope = try JSONDecoder().decode(Envelope.self, from: Data(bytes))
        } catch {
            throw KeyExportError.damaged("it does not have the form of one")
        }
        guard envelope.caprigKeys == 1 else { throw KeyExportError.laterVersion(envelope.caprigKeys) }
        let isCost = (2...Self.highestCost).contains(envelope.n) && envelope.n.nonzeroBitCount == 1
        guard isCost, envelope.r == Self.blockSize, envelope.p == 1, (16...64).contains(envelope.salt.count) else {
            throw KeyExportError.damaged("its parameters are out of range")
        }
        let key = try Self.key(passphrase, envelope)
        guard let content = try? ChaCha20Poly1305.open(Array(envelope.sealed), key: key) else {
            throw KeyExportError.notOpened
        }
        try self.init(JSONDecoder().decode(Content.self, from: Data(content)))
    }

    private init(_ content: Content) throws {
        guard let secretKey = CurveSecretKey(z85: content.secretKey) else {
            throw KeyExportError.damaged("its key is not one")
        }
        (rig, created, registry) = (content.rig, content.created, content.registry.map { Array($0) })
        pair = try CurveKeyPair(secretKey: secretKey)
    }

    private static func key(_ passphrase: String, _ envelope: Envelope) throws -> [UInt8] {
        // The highest cost takes 1 GiB, and scrypt a little more for its blocks.
        let memoryLimit = UInt64(128 * highestCost * blockSize + 1 << 20)
        return try Scrypt.key(
            of: Array(passphrase.utf8), salt: Array(envelope.salt), cost: UInt64(envelope.n),
            blockSize: UInt64(envelope.r), parallelism: UInt64(envelope.p),
            byteCount: ChaCha20Poly1305.keyByteCount, memoryLimit: memoryLimit)
    }
}
