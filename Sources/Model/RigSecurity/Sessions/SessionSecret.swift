internal import FoundationEssentials

/// What a person's browser or script shows a gateway with each request, and the gateway the coordinator: 256 random bits. The coordinator
/// stores only its ``TokenHash``.
public struct SessionSecret: Sendable {
    /// The number of bytes of a secret.
    public static let byteCount = 32
    /// What the text begins with, so that people and scanners recognize a secret that leaked.
    public static let prefix = "caprig_"

    /// The secret.
    public let bytes: [UInt8]

    /// Makes a secret of the system's random numbers, which are cryptographically secure.
    public init() {
        bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// - Returns: nil unless there are 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads the text of a secret: ``prefix`` and 43 characters of base64url (RFC 4648, section 5).
    public init?(text: some StringProtocol) {
        guard text.hasPrefix(Self.prefix), text.utf8.count == Self.prefix.utf8.count + 43 else { return nil }
        let standard = text.dropFirst(Self.prefix.count).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        guard let data = Data(base64Encoded: String(standard) + "=") else { return nil }
        self.init(bytes: data)
        // Of the last character two bits are not used; a text is accepted in one form only.
        guard self.text == text else { return nil }
    }

    /// The secret as people and scripts carry it.
    public var text: String {
        let standard = Data(bytes).base64EncodedString().dropLast()
        return Self.prefix + String(standard.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// The form that the coordinator stores. Secrets are random, so the hash needs no salt and no slow function.
    public var hash: TokenHash { TokenHash(digesting: bytes) }
}

/// Compared in constant time.
extension SessionSecret: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.bytes.isEqualInConstantTime(to: right.bytes) }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash.bytes) }
}

/// Without the secret, so that a log cannot contain it.
extension SessionSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a session's secret" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
