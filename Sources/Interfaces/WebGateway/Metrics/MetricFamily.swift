/// A family of samples in Prometheus's text format, version 0.0.4.
struct MetricFamily {
    enum Kind: String {
        /// Grows only, but for a restart. Its name ends with `_total`.
        case counter
        case gauge
        case histogram
    }

    private let name: String
    private let kind: Kind
    private let help: String
    /// What follows the name, with the labels, and the value.
    private var samples: [(suffix: String, value: Double)] = []

    /// - Parameters:
    ///   - name: With the base unit, such as `caprig_spool_free_bytes`.
    ///   - help: One line.
    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    mutating func add(_ value: Double, _ labels: [(name: String, value: String)] = []) {
        let text = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        samples.append((text.isEmpty ? "" : "{\(text)}", value))
    }

    /// Adds the samples of a histogram.
    /// - Parameters:
    ///   - bins: The count of each bin up to its bound; the last bin has none.
    ///   - sum: Of everything that was counted.
    mutating func add(_ bins: [(bound: Double?, count: UInt64)], sum: Double) {
        var total: UInt64 = 0
        for bin in bins {
            total &+= bin.count
            samples.append(("_bucket{le=\"\(bin.bound.map(Self.number) ?? "+Inf")\"}", Double(total)))
        }
        samples.append(("_sum", sum))
        samples.append(("_count", Double(total)))
    }

    /// Empty without samples.
    var text: String {
        guard !samples.isEmpty else { return "" }
        let lines = samples.map { "\(name)\($0.suffix) \(Self.number($0.value))\n" }.joined()
        return "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n\(lines)"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
