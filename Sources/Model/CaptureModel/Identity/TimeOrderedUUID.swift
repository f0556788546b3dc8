/// A UUIDv7 (RFC 9562, section 5.7). Sorting sorts by the time of creation.
public struct TimeOrderedUUID: Hashable, Comparable, Sendable, CustomStringConvertible {
    // Two numbers instead of an array avoid an allocation for each of the many ids that a rig stores, compares and hashes.
    private let high: UInt64
    private let low: UInt64

    /// - Returns: nil unless there are 16 bytes of a version 7 UUID.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: Self.number(bytes.prefix(8)), low: Self.number(bytes.dropFirst(8)))
    }

    /// Creates a random one.
    /// - Parameter unixMilliseconds: `CLOCK_REALTIME` at the request.
    public init(unixMilliseconds: Int64, using generator: inout some RandomNumberGenerator) {
        high = UInt64(truncatingIfNeeded: unixMilliseconds) << 16 | 0x7000 | generator.next() & 0x0FFF
        low = 0x8000_0000_0000_0000 | generator.next() & 0x3FFF_FFFF_FFFF_FFFF
    }

    private init?(high: UInt64, low: UInt64) {
        guard high >> 12 & 0xF == 7, low >> 62 == 0b10 else { return nil }
        self.high = high
        self.low = low
    }

    /// The 16 bytes, in written order.
    public var bytes: [UInt8] {
        [high, low].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) } }
    }

    /// The time at which it was created, by the creator's clock, in milliseconds since 1970.
    public var unixMilliseconds: Int64 {
        Int64(high >> 16)
    }

    /// Parses the 36-character form, in upper or lower case.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = groups.joined()
        // `UInt64` would accept a sign.
        guard digits.utf8.allSatisfy({ UInt8(ascii: "0") <= $0 }),
            let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.dropFirst(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// The lower-case 36-character form.
    public var description: String {
        let groups: [(UInt64, Int)] = [
            (high >> 32, 8), (high >> 16 & 0xFFFF, 4), (high & 0xFFFF, 4), (low >> 48, 4), (low & 0xFFFF_FFFF_FFFF, 12),
        ]
        return groups.map { number, count in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: count - digits.utf8.count) + digits
        }.joined(separator: "-")
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension TimeOrderedUUID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = TimeOrderedUUID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text.excerpt)' is not a UUIDv7")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
