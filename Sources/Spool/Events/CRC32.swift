/// CRC-32 as in IEEE 802.3 and zlib: reflected polynomial 0xEDB88320, initial value and final inversion of all ones.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
    }
}
