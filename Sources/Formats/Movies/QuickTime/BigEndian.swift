/// Numbers as QuickTime stores them, highest byte first.
enum BigEndian {
    /// Up to eight bytes as a number.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes of a number.
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
