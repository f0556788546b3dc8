/// A unit that is a whole number of the smallest one, and exact reading and writing of numbers with units.
///
/// No floating point: what is read is what was written.
struct ScaledUnit: Sendable {
    var symbol: String
    /// How many of the smallest unit it is; positive.
    var scale: Int64

    init(_ symbol: String, _ scale: Int64) {
        self.symbol = symbol
        self.scale = scale
    }

    /// The value in the largest unit that needs no fraction.
    static func text(of value: Int64, in units: [ScaledUnit]) -> String {
        let zero = units.last { $0.scale == 1 } ?? ScaledUnit("", 1)
        let best = units.filter { value % $0.scale == 0 }.max { $0.scale < $1.scale }
        let unit = value == 0 ? zero : best ?? zero
        return "\(value / unit.scale) \(unit.symbol)"
    }

    /// Reads a decimal number and a unit, such as `1.5 GiB`, `-40us`.
    /// - Throws: ``ScalarFault`` when it is neither, too large, or finer than the smallest unit.
    static func value(of text: String, in units: [ScaledUnit], example: String) throws(ScalarFault) -> Int64 {
        let symbols = units.map(\.symbol).joined(separator: ", ")
        let number = text.prefix { "+-.0123456789".contains($0) }
        let symbol = text[number.endIndex...].drop { $0 == " " }
        guard !number.isEmpty else { throw ScalarFault("must be a number with a unit, such as '\(example)'") }
        guard !symbol.isEmpty else {
            throw ScalarFault("has no unit; write it such as '\(example)' (units: \(symbols))")
        }
        guard let unit = units.first(where: { $0.symbol == symbol }) else {
            throw ScalarFault("has the unknown unit '\(symbol)'; units are \(symbols)")
        }
        return try unit.value(ofDecimal: number)
    }

    private func value(ofDecimal text: Substring) throws(ScalarFault) -> Int64 {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { "0123456789".contains($0) } }
        guard isNumber, let whole = parts.first else { throw ScalarFault("'\(text)' is not a decimal number") }
        guard let count = Int64(whole) else { throw ScalarFault("'\(text) \(symbol)' is too large") }
        var (total, overflow) = count.multipliedReportingOverflow(by: scale)
        for part in parts.dropFirst() {
            let (sum, overflowed) = total.addingReportingOverflow(try fraction(part))
            (total, overflow) = (sum, overflow || overflowed)
        }
        guard !overflow else { throw ScalarFault("'\(text) \(symbol)' is too large") }
        return isNegative ? 0 - total : total
    }

    /// The digits after the point, in the smallest unit.
    private func fraction(_ digits: Substring) throws(ScalarFault) -> Int64 {
        let significant = digits.reversed().drop { $0 == "0" }.reversed()
        // More digits than the largest scale has cannot come out even.
        guard significant.count <= 15 else { throw ScalarFault("has too many digits after the point") }
        var (numerator, denominator): (Int64, Int64) = (0, 1)
        for digit in significant {
            numerator = numerator * 10 + Int64(digit.wholeNumberValue ?? 0)
            denominator *= 10
        }
        let product = numerator.multipliedFullWidth(by: scale)
        let (quotient, remainder) = denominator.dividingFullWidth(product)
        guard remainder == 0 else {
            throw ScalarFault("'\(digits)' after the point does not come out even in \(symbol)")
        }
        return quotient
    }
}
