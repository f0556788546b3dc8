extension Duration {
    /// A text for messages about a duration of any length, in common units: `250.0 ms`, `59 s`, `2 min 5 s`,
    /// `16 h 58 min`, `3 d 4 h`. From ten seconds on, the remainder is dropped.
    public var text: String {
        let seconds = nanoseconds.magnitude / 1_000_000_000
        let sign = self < .zero ? "-" : ""
        return switch seconds {
        case ..<10: "\(tenthsOfMilliseconds) ms"
        case ..<60: "\(sign)\(seconds) s"
        case ..<3600: "\(sign)\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: "\(sign)\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: "\(sign)\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }

    /// Milliseconds with one decimal.
    private var tenthsOfMilliseconds: String {
        let tenths = nanoseconds / 100_000
        return "\(tenths < 0 ? "-" : "")\((tenths / 10).magnitude).\((tenths % 10).magnitude)"
    }
}
