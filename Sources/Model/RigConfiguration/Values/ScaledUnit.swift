import CaptureModel

/// A unit that is an integer multiple of the smallest one, with exact reading and writing of numbers with units.
///
/// Without floating point, a number is read exactly as it was written.
struct ScaledUnit: Sendable {
    var symbol: String
    /// The number of smallest units; positive.
    var scale: Int64

    init(_ symbol: String, _ scale: Int64) {
        self.symbol = symbol
        self.scale = scale
    }

    /// Returns the value in the largest unit that needs no fraction.
    static func text(of value: Int64, in units: [ScaledUnit]) -> String {
        let zero: ScaledUnit = units.last { $0.scale == 1 } ?? ScaledUnit("", 1)
        let best = units.filter { value % $0.scale == 0 }.max { $0.scale < $1.scale }
        let unit = value == 0 ? zero : best ?? zero
        return "\(value / unit.scale) \(unit.symbol)"
    }

    /// Parses a decimal number and a unit, such as `1.5 GiB`, `-40us`.
    /// - Throws: ``ScalarFault`` if the text is malformed, too large, or finer than the smallest unit.
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

    /// Converts the digits after the point to the smallest unit.
    private func fraction(_ digits: Substring) throws(ScalarFault) -> Int64 {
        let significant = digits.reversed().drop { $0 == "0" }.reversed()
        // More digits than the largest scale has cannot yield an integer.
        guard significant.count <= 15 else { throw ScalarFault("has too many digits after the point") }
        var (numerator, denominator): (Int64, Int64) = (0, 1)
        for digit in significant {
            numerator = numerator * 10 + Int64(digit.wholeNumberValue ?? 0)
            denominator *= 10
        }
        let product = numerator.multipliedFullWidth(by: scale)
        let (quotient, remainder) = denominator.dividingFullWidth(product)
        guard remainder == 0 else {
            throw ScalarFault("'\(digits)' after the point cannot be expressed exactly in \(symbol)")
        }
        return quotient
    }
}

extension Duration {
    static let units: [ScaledUnit] = [
        ScaledUnit("d", 86_400_000_000_000), ScaledUnit("h", 3_600_000_000_000), ScaledUnit("min", 60_000_000_000),
        ScaledUnit("s", 1_000_000_000),
        ScaledUnit("ms", 1_000_000), ScaledUnit("us", 1000), ScaledUnit("µs", 1000), ScaledUnit("ns", 1),
    ]

    /// The duration in the largest unit up to seconds that needs no fraction, as a configuration writes it.
    var configurationText: String {
        self == .zero
            ? "0 ms"
            : ScaledUnit.text(of: nanoseconds, in: Self.units.filter { ["s", "ms", "us", "ns"].contains($0.symbol) })
    }
}

/// A limit of a transfer: `unlimited`, or a number of bytes per second such as `40 MB/s`.
public enum TransferRate: Hashable, Sendable, CustomStringConvertible {
    case unlimited
    /// Positive.
    case bytesPerSecond(Int64)

    static let units = ByteCount.units.map { ScaledUnit($0.symbol + "/s", $0.scale) }

    public var description: String {
        switch self {
        case .unlimited: "unlimited"
        case .bytesPerSecond(let rate): ScaledUnit.text(of: rate, in: Self.units)
        }
    }
}
