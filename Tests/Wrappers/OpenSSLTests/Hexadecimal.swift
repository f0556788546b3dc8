extension [UInt8] {
    /// The bytes of hexadecimal digits, as published vectors write them.
    init(hexadecimal digits: String) {
        let values = digits.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
