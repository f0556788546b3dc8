/// One life of a process: a random number made at its start. Messages carry the sender's and the addressee's, so that
/// what was meant for an earlier life is recognised and dropped.
public struct Epoch: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Never 0, which stands for "not known yet" on the wire.
    public let rawValue: UInt64

    public init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// A fresh epoch.
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
