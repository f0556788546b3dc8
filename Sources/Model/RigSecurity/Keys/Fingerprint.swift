public import CaptureModel
internal import FoundationEssentials
internal import OpenSSL

/// The SHA-256 digest of a public key's 32 bytes, written as OpenSSH writes fingerprints: `SHA256:` and 43 characters of
/// base64 without padding.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    static let label = "SHA256:"
    static let digitCount = 43

    /// The text after the label.
    let digits: String

    public init(of key: PublicKey) {
        digits = String(Data(SHA256.hash(key.bytes)).base64EncodedString().prefix(Self.digitCount))
    }

    /// Parses a complete fingerprint. The label may be absent.
    /// - Throws: `badFingerprint`.
    public init(_ text: String) throws(SecurityError) {
        let prefix = try FingerprintPrefix(text)
        // The last of 43 characters has two unused bits, which are zero.
        guard prefix.digits.utf8.count == Self.digitCount,
            let data = Data(base64Encoded: prefix.digits + "="), data.base64EncodedString() == prefix.digits + "="
        else {
            throw SecurityError(
                .badFingerprint, "read", "fingerprint",
                "'\(text.excerpt)' is not a complete fingerprint: write SHA256: and its \(Self.digitCount) characters")
        }
        digits = prefix.digits
    }

    public var description: String { Self.label + digits }
}

/// The beginning of a fingerprint, with which a person selects a key.
public struct FingerprintPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The fewest characters after the label. Fewer would select a key by accident.
    public static let shortest = 4

    let digits: String

    /// Parses `SHA256:` and at least ``shortest`` characters. The label may be absent.
    /// - Throws: `badFingerprint`.
    public init(_ text: String) throws(SecurityError) {
        let labelled = text.lowercased().hasPrefix(Fingerprint.label.lowercased())
        let digits = labelled ? text.dropFirst(Fingerprint.label.count) : text[...]
        let length = digits.utf8.count
        guard (Self.shortest...Fingerprint.digitCount).contains(length), digits.utf8.allSatisfy(Self.isDigit) else {
            throw SecurityError(
                .badFingerprint, "read", "fingerprint",
                "'\(text.excerpt)' is not the beginning of a fingerprint: write \(Self.shortest) to "
                    + "\(Fingerprint.digitCount) of its characters after SHA256:, in upper and lower case as shown")
        }
        self.digits = String(digits)
    }

    /// The number of characters after the label.
    public var length: Int { digits.utf8.count }

    /// Returns whether the fingerprint begins with these characters.
    public func matches(_ fingerprint: Fingerprint) -> Bool { fingerprint.digits.hasPrefix(digits) }

    /// Selects the key whose fingerprint begins with these characters.
    public func match(in keys: some Sequence<PublicKey>) -> FingerprintMatch {
        var found: PublicKey?
        for key in keys where matches(key.fingerprint) && key != found {
            guard found == nil else { return .ambiguous }
            found = key
        }
        return found.map { .one($0) } ?? .none
    }

    public var description: String { Fingerprint.label + digits }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
    }
}

/// The keys that the beginning of a fingerprint selects.
public enum FingerprintMatch: Hashable, Sendable {
    case none
    case one(PublicKey)
    /// Several keys; a longer prefix selects one of them.
    case ambiguous
}
