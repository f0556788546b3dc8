/// Bytes that are taken from the front as numbers, for targets whose input is not a file or message. Past the end it
/// gives zeros.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    /// What has not been taken yet.
    var remainder: [UInt8] { Array(rest) }

    /// A number of this type, lowest byte first.
    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        let bytes = rest.prefix(Number.bitWidth / 8)
        rest = rest.dropFirst(bytes.count)
        return bytes.enumerated().reduce(0) { $0 | Number(truncatingIfNeeded: $1.element) << ($1.offset * 8) }
    }

    /// One of a few values.
    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int(number(UInt8.self)) % values.count]
    }

    /// Up to 255 bytes, with their number in front.
    mutating func block() -> [UInt8] {
        let count = Int(number(UInt8.self))
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
