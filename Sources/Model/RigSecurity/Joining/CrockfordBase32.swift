/// Crockford's base 32: digits and letters without `i`, `l`, `o` and `u`. Upper and lower case are the same; `o` is read
/// as 0, `i` and `l` as 1.
enum CrockfordBase32 {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")

    private static let values: [Character: UInt8] = {
        var values = Dictionary(uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt8($0)) })
        (values["o"], values["i"], values["l"]) = (0, 1, 1)
        return values
    }()

    /// Returns the character of a number below 32. Higher bits are ignored.
    static func character(_ value: UInt8) -> Character { alphabet[Int(value & 31)] }

    /// Returns the number of a lower-case character; nil for a character that is not of the alphabet.
    static func value(_ character: Character) -> UInt8? { values[character] }

    /// The number of characters that so many bytes need.
    static func length(bytes: Int) -> Int { (bytes * 8 + 4) / 5 }

    /// Returns 5-bit numbers, highest bit first. The unused bits of the last are zero.
    static func digits(_ bytes: [UInt8]) -> [UInt8] {
        var digits: [UInt8] = []
        var (bits, count): (UInt16, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt16(byte)
            count += 8
            while count >= 5 {
                count -= 5
                digits.append(UInt8(truncatingIfNeeded: bits >> UInt16(count)) & 31)
            }
        }
        if count > 0 { digits.append(UInt8(truncatingIfNeeded: bits << UInt16(5 - count)) & 31) }
        return digits
    }

    /// Returns the bytes of 5-bit numbers; nil if unused bits of the last one are not zero, or it is not needed.
    static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count): (UInt16, Int) = (0, 0)
        for digit in digits {
            bits = bits << 5 | UInt16(digit & 31)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt16(count)))
            }
        }
        let unused = bits & (1 << UInt16(count) - 1)
        return count < 5 && unused == 0 ? bytes : nil
    }
}
