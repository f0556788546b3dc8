/// An IPv4 or IPv6 address without a zone.
public enum IPAddress: Hashable, Sendable {
    /// The four bytes, first one highest.
    case v4(UInt32)
    /// The eight groups, four in each number, first one highest.
    case v6(high: UInt64, low: UInt64)

    /// Parses `192.0.2.1`, or an IPv6 address in any form of RFC 4291 without brackets and zone.
    public init?(_ text: String) {
        guard text.utf8.count <= 45 else { return nil }
        if let number = Self.v4(text[...]) {
            self = .v4(number)
        } else if let groups = Self.groups(text) {
            self = .v6(high: Self.number(groups[..<4]), low: Self.number(groups[4...]))
        } else {
            return nil
        }
    }

    /// Whether it stands for any address of a machine, so that nobody can connect to it.
    public var isUnspecified: Bool { self == .v4(0) || self == .v6(high: 0, low: 0) }

    /// Whether it stays on its machine: `127.0.0.0/8` or `::1`.
    public var isLoopback: Bool {
        switch self {
        case .v4(let number): number >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    /// Its 4 or 16 bytes in network order.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let number): (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        case .v6(let high, let low):
            [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
        }
    }

    /// The IPv4 address that an IPv6 address of `::ffff:0:0/96` stands for, otherwise the address itself.
    public var unmapped: IPAddress {
        guard case .v6(0, let low) = self, low >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: low))
    }

    private static func number(_ groups: ArraySlice<UInt16>) -> UInt64 { groups.reduce(0) { $0 << 16 | UInt64($1) } }

    /// Four decimal numbers without leading zeros, which some programs read as octal.
    private static func v4(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in UInt8(part).flatMap { String($0) == part ? $0 : nil } }
        guard parts.count == 4, bytes.count == 4 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The eight groups of an IPv6 address; nil if the text is none.
    private static func groups(_ text: String) -> [UInt16]? {
        guard let gap = text.firstRange(of: "::") else {
            let groups = list(text[...])
            return groups?.count == 8 ? groups : nil
        }
        guard let first = list(text[..<gap.lowerBound]), let last = list(text[gap.upperBound...]),
            first.count + last.count < 8, !text[..<gap.lowerBound].contains(".")
        else { return nil }
        return first + Array(repeating: 0, count: 8 - first.count - last.count) + last
    }

    /// Groups between colons; the last may be an IPv4 address, which stands for two.
    private static func list(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let number = v4(part) {
                groups += [UInt16(number >> 16), UInt16(number & 0xFFFF)]
            } else if (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                let group = UInt16(part, radix: 16)
            {
                groups.append(group)
            } else {
                return nil
            }
        }
        return groups
    }
}

extension IPAddress: CustomStringConvertible {
    /// The form of RFC 5952, without an embedded IPv4 address.
    public var description: String {
        switch self {
        case .v4(let number):
            [24, 16, 8, 0].map { (shift: UInt32) in "\(number >> shift & 0xFF)" }.joined(separator: ".")
        case .v6(let high, let low):
            Self.text(Self.groups(of: high) + Self.groups(of: low))
        }
    }

    private static func groups(of half: UInt64) -> [UInt64] {
        [48, 32, 16, 0].map { (shift: UInt64) in half >> shift & 0xFFFF }
    }

    /// The longest of at least two zero groups, the first of equals, becomes `::`.
    private static func text(_ groups: [UInt64]) -> String {
        let zeros = groups.indices.map { start in start..<(groups[start...].firstIndex { $0 != 0 } ?? groups.count) }
        let gap = zeros.reduce(0..<1) { $1.count > $0.count ? $1 : $0 }
        func join(_ part: ArraySlice<UInt64>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
        guard gap.count > 1 else { return join(groups[...]) }
        return join(groups[..<gap.lowerBound]) + "::" + join(groups[gap.upperBound...])
    }
}
