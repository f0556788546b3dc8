import CaptureModel

/// How much a program may write: a bucket of `most`, which fills at `perSecond`. What was held up may come at once.
struct Allowance {
    private let perSecond: Double
    private let most: Double
    private var left: Double
    private var last: LocalTime

    init(perSecond: Double, most: Double, start: LocalTime) {
        self.perSecond = perSecond
        self.most = most
        left = most
        last = start
    }

    /// Takes so much.
    /// - Returns: false if it is too much.
    mutating func take(_ count: Int, at now: LocalTime) -> Bool {
        left = min(most, left + Double((now - last).nanoseconds) / 1e9 * perSecond)
        last = now
        left -= Double(count)
        return left >= 0
    }
}
