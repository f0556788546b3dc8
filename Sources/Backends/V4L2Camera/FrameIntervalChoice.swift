import Video4Linux

/// Which of a camera's frame intervals suits a wished-for rate. Pure.
enum FrameIntervalChoice {
    /// The interval to ask the driver for; nil leaves it to the driver.
    ///
    /// Without a wish it is the shortest on offer. A wish is met by the nearest discrete interval, or by itself where
    /// the driver tells a range or nothing.
    static func interval(framesPerSecond: Double?, from offers: [FrameIntervals]) -> Fraction? {
        guard let rate = framesPerSecond, rate.isFinite, rate > 0 else {
            return offers.map(\.shortest).filter { $0.nanoseconds != nil }
                .min { ($0.nanoseconds ?? 0) < ($1.nanoseconds ?? 0) }
        }
        let isDiscrete = !offers.isEmpty && offers.allSatisfy(\.isDiscrete)
        guard isDiscrete else { return fraction(rate) }
        return offers.map(\.shortest).min { distance($0, rate) < distance($1, rate) }
    }

    /// Whether an interval is the wished-for rate, give or take two percent: 29.97 passes for 30, 25 does not.
    static func meets(_ nanoseconds: Int64, framesPerSecond rate: Double) -> Bool {
        (Double(nanoseconds) * rate / 1_000_000_000 - 1).magnitude <= 0.02
    }

    private static func distance(_ interval: Fraction, _ rate: Double) -> Double {
        interval.nanoseconds.map { (Double($0) * rate / 1_000_000_000 - 1).magnitude } ?? .infinity
    }

    private static func fraction(_ rate: Double) -> Fraction? {
        let thousandths = (rate * 1000).rounded()
        return (1...4_000_000).contains(thousandths) ? Fraction(1000, UInt32(thousandths)) : nil
    }
}

extension FrameIntervalChoice {
    /// A rate for a sentence: `12.5`.
    static func rateText(_ nanoseconds: Int64) -> String {
        let hundredths = (100_000_000_000 / Double(max(nanoseconds, 1))).rounded() / 100
        return "\(hundredths)"
    }
}

extension Int64 {
    /// The nearest whole number; the ends of the range for what lies beyond, 0 for what is no number.
    init(clampingRounded value: Double) {
        self = value.isNaN ? 0 : Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
