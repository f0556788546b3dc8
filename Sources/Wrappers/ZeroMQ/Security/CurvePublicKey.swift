internal import CZeroMQ

/// A Curve25519 public key of 32 bytes. It identifies a peer once CURVE has proved that the peer holds the secret key.
///
/// Its text form is Z85 ([ZeroMQ RFC 32](https://rfc.zeromq.org/spec/32/)), 40 characters.
public struct CurvePublicKey: Hashable, Sendable, CustomStringConvertible {
    public static let byteCount = 32

    /// The bytes, ``byteCount`` of them.
    public let bytes: [UInt8]

    /// - Returns: nil if the number of bytes is not ``byteCount``.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads Z85; nil if the text is not the Z85 of ``byteCount`` bytes.
    public init?(_ text: String) {
        guard let bytes = Z85.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    public var description: String { Z85.encode(bytes) }
}
