/// A unit in which a setting is requested.
public enum PhysicalUnit: String, Hashable, Codable, Sendable, CaseIterable {
    case duration = "s"
    case decibel = "dB"
    case exposureValue = "EV"
    case kelvin = "K"
    case iso = "ISO"
    case angle = "deg"
    case factor = "x"
    case fNumber = "f"
    /// AVFoundation's tint: from green (negative) to magenta.
    case tint

    /// An example of a value, as the text grammar writes it.
    public var example: String {
        switch self {
        case .duration: "a time such as 8ms or 1/125s"
        case .decibel: "decibels such as 6dB"
        case .exposureValue: "exposure values such as +0.3EV"
        case .kelvin: "kelvins such as 5200K"
        case .iso: "an ISO speed such as 400"
        case .angle: "degrees such as -12.5deg"
        case .factor: "a factor such as 2x"
        case .fNumber: "an aperture such as f/2.8"
        case .tint: "a tint such as -10"
        }
    }

    /// The number of decimals that ``PhysicalQuantity/count`` has. Durations count nanoseconds, angles arc seconds.
    var digits: Int {
        switch self {
        case .duration, .angle, .kelvin: 0
        case .decibel, .exposureValue, .iso, .factor, .fNumber, .tint: 3
        }
    }

    package var isPositive: Bool {
        switch self {
        case .duration, .kelvin, .iso, .factor, .fNumber: true
        case .decibel, .exposureValue, .angle, .tint: false
        }
    }
}

/// A physical value: an integer count of a unit's smallest part, so that text and rounding are exact.
public struct PhysicalQuantity: Hashable, Sendable {
    public let unit: PhysicalUnit
    /// Nanoseconds, arc seconds, kelvins; thousandths of each other unit.
    public let count: Int64

    /// Returns nil for a value that the unit does not have, such as a duration of 0.
    public init?(_ count: Int64, _ unit: PhysicalUnit) {
        guard !unit.isPositive || count > 0 else { return nil }
        self.count = count
        self.unit = unit
    }
}

extension PhysicalQuantity {
    /// Reads a value of this unit. Short units need no suffix where nothing else could be meant: ISO, factors, tint.
    package init?(parsing text: String, as unit: PhysicalUnit) {
        let count: Int64? =
            switch unit {
            case .duration: Self.nanoseconds(text)
            case .angle: Self.arcSeconds(text)
            case .fNumber: text.hasPrefix("f/") ? DecimalText.parse(text.dropFirst(2), digits: 3) : nil
            case .iso, .factor: DecimalText.parse(Self.without(unit.rawValue, text) ?? text[...], digits: 3)
            case .tint: DecimalText.parse(text, digits: 3)
            case .decibel, .exposureValue, .kelvin:
                Self.without(unit.rawValue, text).flatMap { DecimalText.parse($0, digits: unit.digits) }
            }
        guard let count, let quantity = PhysicalQuantity(count, unit) else { return nil }
        self = quantity
    }

    private static func without(_ suffix: String, _ text: String) -> Substring? {
        text.hasSuffix(suffix) ? text.dropLast(suffix.count) : nil
    }

    private static func nanoseconds(_ text: String) -> Int64? {
        if text.hasPrefix("1/") {
            let denominator = DecimalText.parse((without("s", text) ?? text[...]).dropFirst(2), digits: 3)
            guard let denominator, denominator > 0 else { return nil }
            return Int64((Int128(1_000_000_000_000) + Int128(denominator) / 2) / Int128(denominator))
        }
        for (suffix, digits) in [("ns", 0), ("us", 3), ("µs", 3), ("ms", 6), ("s", 9)] {
            guard let number = without(suffix, text) else { continue }
            return DecimalText.parse(number, digits: digits)
        }
        return nil
    }

    /// Degrees are rounded to arc seconds.
    private static func arcSeconds(_ text: String) -> Int64? {
        if let number = without("arcsec", text) { return DecimalText.parse(number, digits: 0) }
        guard let number = without("deg", text) ?? without("°", text) else { return nil }
        guard let microdegrees = DecimalText.parse(number, digits: 6) else { return nil }
        return Int64(clamping: Int128(microdegrees).rounded(timesThen: 3600, by: 1_000_000))
    }
}

extension PhysicalQuantity: CustomStringConvertible {
    /// The value as the text grammar writes it. Reading it gives the same value.
    public var description: String {
        switch unit {
        case .duration: durationText
        case .angle: angleText
        case .fNumber: "f/" + DecimalText.text(count, digits: 3)
        case .exposureValue: (count > 0 ? "+" : "") + DecimalText.text(count, digits: 3) + "EV"
        case .iso, .tint: DecimalText.text(count, digits: 3)
        case .decibel, .factor: DecimalText.text(count, digits: 3) + unit.rawValue
        case .kelvin: "\(count)K"
        }
    }

    private var durationText: String {
        switch count {
        case 1_000_000_000...: DecimalText.text(count, digits: 9) + "s"
        case 1_000_000...: DecimalText.text(count, digits: 6) + "ms"
        case 1000...: DecimalText.text(count, digits: 3) + "us"
        default: "\(count)ns"
        }
    }

    /// Degrees where three decimals are enough: multiples of 0.005 degrees, below the range of what is read.
    private var angleText: String {
        guard count.isMultiple(of: 18), count.magnitude < 1_000_000_000_000 else { return "\(count)arcsec" }
        return DecimalText.text(count / 18 * 5, digits: 3) + "deg"
    }
}

extension Int128 {
    /// Returns `self · factor / divisor`, rounded to the nearest integer, halves away from zero.
    package func rounded(timesThen factor: Int128, by divisor: Int128) -> Int128 {
        let product = self * factor
        let half = divisor / 2
        return product < 0 ? (product - half) / divisor : (product + half) / divisor
    }
}
