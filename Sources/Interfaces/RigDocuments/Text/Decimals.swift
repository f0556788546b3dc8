internal import CaptureModel

/// Numbers as text with a fixed number of decimals, independent of locale.
public enum Decimals {
    /// - Parameters:
    ///   - value: Not negative.
    ///   - digits: 0 to 9.
    public static func text(_ value: Double, digits: Int) -> String {
        let scale = (0..<max(0, min(digits, 9))).reduce(Int64(1)) { product, _ in product * 10 }
        let scaled = (value * Double(scale)).rounded()
        guard scaled.isFinite, scaled < 9e18, scaled >= 0 else { return "\(value)" }
        let number = Int64(scaled)
        guard scale > 1 else { return "\(number)" }
        let fraction = String(number % scale)
        let padding = String(repeating: "0", count: String(scale).count - 1 - fraction.count)
        return "\(number / scale).\(padding)\(fraction)"
    }

    /// Bytes in binary units: `512 B`, `1.4 MiB`.
    public static func byteText(_ count: Int64) -> String {
        var (value, unit) = (Double(max(0, count)), 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return text(value, digits: unit == 0 ? 0 : 1) + " " + units[unit]
    }
}

extension Duration {
    /// For people: milliseconds with two or three significant decimals, seconds from ten seconds on.
    public var shortText: String {
        let magnitude = self.magnitude.seconds
        let sign = self < .zero ? "-" : ""
        if magnitude >= 10 { return sign + Decimals.text(magnitude, digits: 1) + " s" }
        if magnitude >= 0.1 { return sign + Decimals.text(magnitude * 1e3, digits: 0) + " ms" }
        return sign + Decimals.text(magnitude * 1e3, digits: 2) + " ms"
    }

    /// Like ``shortText``, always with a sign.
    public var signedText: String { self < .zero ? shortText : "+" + shortText }
}
