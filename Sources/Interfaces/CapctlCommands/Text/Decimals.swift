internal import CaptureModel
internal import Foundation

/// Numbers as text with a fixed number of decimals, independent of locale.
enum Decimals {
    /// - Parameters:
    ///   - value: Not negative.
    ///   - digits: 0 to 9.
    static func text(_ value: Double, digits: Int) -> String {
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
    static func byteText(_ count: Int64) -> String {
        var (value, unit) = (Double(max(0, count)), 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return text(value, digits: unit == 0 ? 0 : 1) + " " + units[unit]
    }
}

/// Absolute paths, which are valid in any folder.
enum AbsolutePath {
    /// `path` from the root, without `.` and `..`, with `~` expanded to the home folder; links are not resolved.
    static func of(_ path: String) -> String {
        let path = URL(filePath: (path as NSString).expandingTildeInPath).standardizedFileURL.path(
            percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension Duration {
    /// Parses `250ms`, `-0.5s`, `+1.5s`, `30us`, `10ns`, `2min` or `2m`: an optional sign, a decimal number and its unit.
    init?(commandLine text: String) {
        var rest = text[...]
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        guard let unitStart = rest.firstIndex(where: { $0.isLetter || $0 == "µ" }) else { return nil }
        guard let unit = Self.nanoseconds(ofUnit: rest[unitStart...]) else { return nil }
        guard let magnitude = DecimalNanoseconds.parse(rest[..<unitStart], unit: unit) else { return nil }
        self = .nanoseconds(isNegative ? -magnitude : magnitude)
    }

    private static func nanoseconds(ofUnit unit: Substring) -> Int64? {
        switch unit {
        case "ns": 1
        case "us", "µs": 1_000
        case "ms": 1_000_000
        case "s": 1_000_000_000
        case "m", "min": 60_000_000_000
        default: nil
        }
    }

    /// For people: milliseconds with two or three significant decimals, seconds from ten seconds on.
    var shortText: String {
        let magnitude = self.magnitude.seconds
        let sign = self < .zero ? "-" : ""
        if magnitude >= 10 { return sign + Decimals.text(magnitude, digits: 1) + " s" }
        if magnitude >= 0.1 { return sign + Decimals.text(magnitude * 1e3, digits: 0) + " ms" }
        return sign + Decimals.text(magnitude * 1e3, digits: 2) + " ms"
    }

    /// Like ``shortText``, always with a sign.
    var signedText: String { self < .zero ? shortText : "+" + shortText }
}

extension Int {
    /// The number with its noun: `1 camera`, `2 cameras`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension LeftOutDevices {
    /// The line after a table that names the omitted devices; empty if there are none.
    static func remark(_ leftOut: LeftOutDevices?) -> String {
        leftOut.map { "omitted: \(Table.printable($0.description))\n" } ?? ""
    }
}
