internal import FoundationEssentials
internal import OpenSSL

/// The one-time secret of an invitation: 128 random bits. The coordinator stores only its ``TokenHash``.
public struct JoinToken: Sendable {
    /// The number of bytes of a token.
    public static let byteCount = 16

    /// The secret.
    public let bytes: [UInt8]

    /// Makes a token of the system's random numbers, which are cryptographically secure.
    public init() {
        bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// - Parameter generator: For tests that need the same token in each run.
    public init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// - Returns: nil unless there are 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// The form that the coordinator stores. Tokens are random, so the hash needs no salt and no slow function.
    public var hash: TokenHash { TokenHash(of: self) }
}

/// Compared in constant time.
extension JoinToken: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.bytes.isEqualInConstantTime(to: right.bytes) }
}

/// Without the secret, so that a log cannot contain it.
extension JoinToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a join token" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 digest of a secret's bytes: of a token's 16, or of a session's 32.
public struct TokenHash: Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    public init(of token: JoinToken) {
        self.init(digesting: token.bytes)
    }

    init(digesting secret: [UInt8]) {
        bytes = SHA256.hash(secret)
    }

    /// - Returns: nil unless there are 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Returns whether it is the hash of this token, in constant time.
    public func matches(_ token: JoinToken) -> Bool { self == token.hash }
}

/// Compared in constant time.
extension TokenHash: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.bytes.isEqualInConstantTime(to: right.bytes) }
}

/// Coded as 44 characters of base64.
extension TokenHash: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let data = Data(base64Encoded: try container.decode(String.self)), let hash = TokenHash(bytes: data)
        else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a token's hash has 32 bytes, as 44 characters of base64")
        }
        self = hash
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes).base64EncodedString())
    }
}

extension [UInt8] {
    /// Compares every byte, so that the time taken does not tell how many of the first ones are right.
    func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
