internal import CZeroMQ

/// A Curve25519 secret key of 32 bytes. Its description does not contain it, so that no log does by mistake.
public struct CurveSecretKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The 32 bytes. Write them only to a file that only its owner can read.
    public let bytes: [UInt8]

    /// - Returns: nil if the number of bytes is not 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == CurvePublicKey.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads Z85; nil if the text is not the Z85 of 32 bytes.
    public init?(z85 text: String) {
        guard let bytes = Z85.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// The Z85 form, 40 characters.
    public var z85: String { Z85.encode(bytes) }

    public var description: String { "secret key" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// libzmq's text form of binary keys: five characters for four bytes.
enum Z85 {
    /// The number of characters of a key.
    static let keyLength = 40
    /// The alphabet of RFC 32. `zmq_z85_decode` accepts some other characters too.
    private static let alphabet = Set(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

    /// Returns the bytes of a key's text; nil if it is not one.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count == keyLength, text.utf8.allSatisfy(alphabet.contains) else { return nil }
        var bytes = [UInt8](repeating: 0, count: keyLength / 5 * 4)
        guard unsafe zmq_z85_decode(&bytes, text) != nil else { return nil }
        return encode(bytes) == text ? bytes : nil
    }

    /// - Precondition: The number of bytes is divisible by four.
    static func encode(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: bytes.count / 4 * 5 + 1)
        unsafe zmq_z85_encode(&text, bytes, bytes.count)
        return Self.text(text)
    }

    static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
