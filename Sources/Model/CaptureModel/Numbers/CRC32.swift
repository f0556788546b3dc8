/// CRC-32 as in IEEE 802.3 and zlib, of bytes that come in pieces: reflected polynomial 0xEDB88320, initial value and final inversion
/// of all ones.
package struct CRC32: Sendable {
    /// For each place among eight bytes the effect of each byte; place 0 is the last.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { value, _ -> UInt32 in
                let shifted = value >> 1
                return value & 1 == 0 ? shifted : shifted ^ 0xEDB8_8320
            }
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables.append(before >> 8 ^ tables[Int(before & 0xFF)])
        }
        return tables
    }()

    private var register: UInt32 = ~0

    package init(_ bytes: [UInt8] = []) {
        update(bytes.span)
    }

    /// The checksum of the bytes so far.
    package var value: UInt32 { ~register }

    /// Continues with further bytes, eight at a time.
    package mutating func update(_ bytes: Span<UInt8>) {
        let tables = Self.tables
        var (register, index) = (register, 0)
        let whole = bytes.count & ~7
        while index < whole {
            register =
                Self.effect(of: register ^ Self.word(bytes, index), tables, at: 0x400)
                ^ Self.effect(of: Self.word(bytes, index + 4), tables, at: 0)
            index += 8
        }
        for index in whole..<bytes.count {
            register = register >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: register) ^ bytes[index])]
        }
        self.register = register
    }

    /// - Parameter place: The table of the word's last byte.
    private static func effect(of word: UInt32, _ tables: [UInt32], at place: Int) -> UInt32 {
        let first = tables[place + 0x300 + Int(word & 0xFF)] ^ tables[place + 0x200 + Int(word >> 8 & 0xFF)]
        return first ^ tables[place + 0x100 + Int(word >> 16 & 0xFF)] ^ tables[place + Int(word >> 24)]
    }

    private static func word(_ bytes: Span<UInt8>, _ index: Int) -> UInt32 {
        let low = UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8
        let high = UInt32(bytes[index + 2]) | UInt32(bytes[index + 3]) << 8
        return low | high << 16
    }
}

extension CRC32 {
    /// Returns the checksum of the last bytes alone. It costs a few hundred steps, however many they are.
    ///
    /// The checksum is linear over GF(2): that of all bytes is that of the first ones, as if zeros followed, plus that of the last ones.
    /// - Parameters:
    ///   - count: Of the last bytes.
    ///   - start: The checksum of the bytes before them.
    package func value(ofLast count: Int, after start: CRC32) -> UInt32 {
        Self.zeros.indices.reduce(start.value) { value, power in
            count >> power & 1 == 0 ? value : Self.apply(Self.zeros[power], to: value)
        } ^ value
    }

    /// For each index n, the effect of 2ⁿ zero bytes on each bit of the register.
    private static let zeros: [[UInt32]] = {
        let byte = (0..<32).map { bit in
            let value: UInt32 = 1 << bit
            return value >> 8 ^ tables[Int(value & 0xFF)]
        }
        return (1..<40).reduce(into: [byte]) { powers, power in
            powers.append(powers[power - 1].map { apply(powers[power - 1], to: $0) })
        }
    }()

    private static func apply(_ bits: [UInt32], to value: UInt32) -> UInt32 {
        var (value, sum) = (value, UInt32(0))
        while value != 0 {
            sum ^= bits[value.trailingZeroBitCount]
            value &= value - 1
        }
        return sum
    }
}
