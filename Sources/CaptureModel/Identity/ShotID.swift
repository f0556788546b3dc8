/// The id of a shot: a UUIDv7 (RFC 9562, section 5.7), minted by the client, so that a repeated request cannot fire
/// twice. Sorting ids sorts shots by the time they were asked for.
public struct ShotID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 16 bytes, in the order in which they are written.
    public let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes of a version 7 UUID.
    public init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 16, bytes[6] >> 4 == 7, bytes[8] >> 6 == 0b10 else { return nil }
        self.bytes = bytes
    }

    /// A fresh id.
    /// - Parameter unixMilliseconds: `CLOCK_REALTIME` at the request.
    public init(unixMilliseconds: Int64, using generator: inout some RandomNumberGenerator) {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        for index in 0..<6 {
            bytes[index] = UInt8(truncatingIfNeeded: unixMilliseconds >> (8 * Int64(5 - index)))
        }
        bytes[6] = 0x70 | (bytes[6] & 0x0F)
        bytes[8] = 0x80 | (bytes[8] & 0x3F)
        self.bytes = bytes
    }

    /// When the id was minted, by the clock of who minted it: milliseconds since 1970.
    public var unixMilliseconds: Int64 {
        bytes.prefix(6).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Parses the 36-character form, in either case.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = groups.joined().utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(bytes: bytes)
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The lower-case 36-character form.
    public var description: String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
            .map { $0.joined() }.joined(separator: "-")
    }
}

extension ShotID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ShotID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUIDv7")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
