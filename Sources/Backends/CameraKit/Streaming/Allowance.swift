package import CaptureModel

/// How much a device may deliver: a bucket of `most`, which fills at `perSecond`. What was held up may come at once.
package struct Allowance {
    private let perSecond: Double
    private let most: Double
    private var left: Double
    private var last: LocalTime

    package init(perSecond: Double, most: Double, start: LocalTime) {
        self.perSecond = perSecond
        self.most = most
        left = most
        last = start
    }

    /// The pictures of a camera: four times its rate, and those of sixteen seconds at once.
    package init(picturesAt framesPerSecond: Double, start: LocalTime) {
        self.init(perSecond: framesPerSecond * 4, most: max(64, framesPerSecond * 16), start: start)
    }

    /// Takes so much.
    /// - Returns: false if it is too much.
    package mutating func take(_ count: Int, at now: LocalTime) -> Bool {
        left = min(most, left + Double((now - last).nanoseconds) / 1e9 * perSecond)
        last = now
        left -= Double(count)
        return left >= 0
    }
}
