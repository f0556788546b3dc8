internal import CaptureModel
public import RigMatching

/// What has become of matching cameras, or of locking them: `capctl settings match` and `capctl settings lock`.
public struct SettingsMatchDocument: Encodable, Sendable {
    var cameras: [Camera]
    /// `match` or `lock`.
    var kind: String
    /// How much the light at the reference has changed since the start, as a part; absent without a reference.
    var lightChange: Double?
    var reference: Camera?
    /// The part of the picture that was measured: x, y, width, height, as shares from the top left.
    var region: [Double]
    /// In linear light; absent for a lock, in which each camera has its own.
    var target: Color?
    /// The largest deviation of red, green and blue, as a part.
    var tolerance: Double

    public init(_ report: MatchReport) {
        cameras = report.cameras.map(Camera.init)
        kind = report.isLock ? "lock" : "match"
        lightChange = report.lightChange.map { ($0 * 10_000).rounded() / 10_000 }
        reference = report.reference.map(Camera.init)
        let region = report.region
        self.region = [region.x, region.y, region.width, region.height].map { ($0 * 10_000).rounded() / 10_000 }
        target = report.target.map(Color.init)
        tolerance = report.tolerance
    }

    struct Camera: Encodable, Sendable {
        var after: Measurement?
        var before: Measurement?
        var device: String
        /// How often the camera was set.
        var iterations: Int
        /// `matched`, `locked`, `notConverged`, `notSteady` or `refused`; `underWay` in a report of what is not complete.
        var outcome: String
        /// Why it is not matched or locked.
        var reason: String?
        /// The entries that were set last; empty if nothing was set.
        var settings: [String]
        /// Of a lock: whether the pictures were steady.
        var steady: Bool?
        var steadyAfterNanoseconds: Integer64?

        init(_ match: MatchResult) {
            after = match.after.map { Measurement($0, residual: match.residual(of: $0)) }
            before = match.before.map { Measurement($0, residual: match.residual(of: $0)) }
            device = match.device.description
            (iterations, outcome, reason) = (match.iterations, match.word, match.reason)
            (settings, steady) = (match.settings, match.isSteady)
            steadyAfterNanoseconds = match.steadyAfter.map { Integer64($0.nanoseconds) }
        }
    }

    struct Measurement: Encodable, Sendable {
        /// Parts of the pixels.
        var clippedHigh: Double
        var clippedLow: Double
        var encoded: Color
        var firstFrame: Integer64
        var frames: Int
        var lastFrame: Integer64
        var linear: Color
        /// `raw`, `measured` or `assumedSRGB`.
        var linearization: PictureMeasurement.Linearization
        /// The deviations of red, green and blue from the target, as parts of it.
        var residual: [Double]?
        /// The difference between the brightest and the darkest frame, as a part of the mean.
        var spread: Double

        init(_ measurement: PictureMeasurement, residual: [Double]?) {
            clippedHigh = Color.rounded(measurement.clippedHigh)
            clippedLow = Color.rounded(measurement.clippedLow)
            (encoded, linear) = (Color(measurement.encoded), Color(measurement.linear))
            firstFrame = Integer64(Int64(clamping: measurement.first.sequence))
            lastFrame = Integer64(Int64(clamping: measurement.last.sequence))
            (frames, linearization) = (measurement.frames, measurement.linearization)
            self.residual = residual?.map(Color.rounded)
            spread = Color.rounded(measurement.spread)
        }
    }

    /// 0 to 1 each.
    struct Color: Encodable, Sendable {
        var blue: Double
        var green: Double
        var red: Double

        init(_ mean: ColorMean) {
            (red, green, blue) = (Self.rounded(mean.red), Self.rounded(mean.green), Self.rounded(mean.blue))
        }

        static func rounded(_ value: Double) -> Double { (value * 100_000).rounded() / 100_000 }
    }
}
