/// The order in which people number files: `img9` before `img10`, whatever the number of digits.
enum NaturalOrder {
    /// Whether `left` comes before `right`: digits are compared as numbers, everything else byte by byte; names that are
    /// equal so (`img1`, `img01`) by their bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var (left8, right8) = (Array(left.utf8)[...], Array(right.utf8)[...])
        while let first = left8.first, let second = right8.first {
            if isDigit(first), isDigit(second) {
                let (number, other) = (takeNumber(&left8), takeNumber(&right8))
                if number.count != other.count { return number.count < other.count }
                if number != other { return number.lexicographicallyPrecedes(other) }
            } else {
                if first != second { return first < second }
                left8.removeFirst()
                right8.removeFirst()
            }
        }
        if left8.isEmpty != right8.isEmpty { return left8.isEmpty }
        return left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Takes the digits off the front; returns them without leading zeros.
    private static func takeNumber(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
