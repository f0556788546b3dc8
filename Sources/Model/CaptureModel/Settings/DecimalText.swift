/// Decimal numbers as text and as multiples of a power of ten, without rounding.
package enum DecimalText {
    /// Returns the number as a multiple of 10^-digits; nil if it is not a decimal number, has more decimals, or does
    /// not fit.
    package static func parse(_ text: some StringProtocol, digits: Int) -> Int64? {
        var bytes = Array(text.utf8)
        guard bytes.count <= 32 else { return nil }
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty else { return nil }
        let decimals = parts.count > 1 ? Array(parts[1]) : []
        guard parts.count == 1 || !decimals.isEmpty, decimals.count <= digits else { return nil }
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: digits - decimals.count)
        let all = Array(whole) + decimals + zeros
        guard all.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64((isNegative ? "-" : "") + String(decoding: all, as: UTF8.self))
    }

    /// Returns a multiple of 10^-digits with as few decimals as it needs.
    package static func text(_ value: Int64, digits: Int) -> String {
        var figures = String(value.magnitude)
        if figures.count <= digits {
            figures = String(repeating: "0", count: digits + 1 - figures.count) + figures
        }
        var decimals = Substring(figures.suffix(digits))
        while decimals.last == "0" { decimals.removeLast() }
        let whole = figures.dropLast(digits)
        return (value < 0 ? "-" : "") + whole + (decimals.isEmpty ? "" : "." + decimals)
    }
}
