internal import FoundationEssentials

/// The public half of a Curve25519 key pair, which identifies a program on every connection of the rig.
///
/// CURVE proves that a peer has the secret half. Messages and documents never name a peer more strongly than by this.
public struct PublicKey: Hashable, Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32

    // Numbers instead of an array: keys are looked up for each connection and message.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Returns: nil unless there are 32 bytes that are not all zero, which no key pair has.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount, bytes.contains(where: { $0 != 0 }) else { return nil }
        func word(_ index: Int) -> UInt64 {
            bytes.dropFirst(index * 8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// Parses the form used in documents.
    /// - Returns: nil unless the text is the base64 form that ``base64`` has.
    public init?(base64 text: String) {
        guard text.utf8.count == 44, let data = Data(base64Encoded: text), let key = PublicKey(bytes: data),
            key.base64 == text
        else { return nil }
        self = key
    }

    /// The 32 bytes, as libzmq and libsodium use them.
    public var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }

    /// The form used in documents: 44 characters of base64 (RFC 4648, section 4).
    public var base64: String { Data(bytes).base64EncodedString() }

    /// The form that people compare.
    public var fingerprint: Fingerprint { Fingerprint(of: self) }

    public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

/// The fingerprint, because logs and messages show keys to people.
extension PublicKey: CustomStringConvertible {
    public var description: String { fingerprint.description }
}

/// Coded as its base64 form.
extension PublicKey: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = PublicKey(base64: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a public key has 32 bytes, not all zero, as 44 characters of base64")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(base64)
    }
}
