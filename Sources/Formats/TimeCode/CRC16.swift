/// CRC-16/CCITT-FALSE, in the CRC catalogue CRC-16/IBM-3740: polynomial 0x1021, initial value 0xFFFF, bits not
/// reflected, no final exclusive-or. Its check value, the CRC of the ASCII bytes `123456789`, is 0x29B1.
enum CRC16 {
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var remainder: UInt16 = 0xFFFF
        for byte in bytes {
            remainder ^= UInt16(byte) << 8
            for _ in 0..<8 {
                let carry = remainder & 0x8000 != 0
                remainder <<= 1
                if carry { remainder ^= 0x1021 }
            }
        }
        return remainder
    }
}
