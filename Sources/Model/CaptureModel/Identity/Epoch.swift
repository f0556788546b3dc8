/// One run of a process: a random number chosen at its start. Messages carry the epochs of the sender and the
/// addressee, so that messages for an earlier run are recognized and dropped.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
    /// Never 0, which represents "not known yet" on the wire.
    public let rawValue: UInt64

    public init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// A random epoch.
    public static func random() -> Epoch {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> Epoch {
        Epoch(rawValue: UInt64.random(in: 1...UInt64.max, using: &generator)) ?? random(using: &generator)
    }

    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Coded as its 16 hexadecimal digits, because some JSON readers do not keep 64 bits of a number.
extension Epoch: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.utf8.count == 16, let number = UInt64(text, radix: 16), let epoch = Epoch(rawValue: number) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text.excerpt)' is not an epoch")
        }
        self = epoch
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
