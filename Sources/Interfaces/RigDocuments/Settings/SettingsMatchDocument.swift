public import CaptureModel

/// What has become of matching cameras, or of locking them: `capctl settings match` and `capctl settings lock`.
public struct SettingsMatchDocument: Encodable, Sendable {
    public var cameras: [Camera]
    /// `match` or `lock`.
    public var kind: String
    /// How much the light at the reference has changed meanwhile, as a part; absent without a reference.
    public var lightChange: Double?
    public var reference: Camera?
    /// The part of the picture that was measured: x, y, width, height, as shares from the top left.
    public var region: [Double]
    /// In linear light; absent for a lock, in which each camera has its own.
    public var target: Colour?
    /// The largest deviation of red, green and blue, as a part.
    public var tolerance: Double

    public init(kind: String, tolerance: Double, region: [Double], cameras: [Camera]) {
        (self.kind, self.tolerance, self.region, self.cameras) = (kind, tolerance, region, cameras)
    }

    public struct Camera: Encodable, Sendable {
        public var after: Measurement?
        public var before: Measurement?
        public var device: String
        /// How often the camera was set.
        public var iterations: Int
        /// `matched`, `locked`, `notConverged`, `notSteady` or `refused`.
        public var outcome: String
        /// Why it is not matched or locked.
        public var reason: String?
        /// The entries that were set last; empty if nothing was set.
        public var settings: [String]
        /// Of a lock: whether the pictures were steady.
        public var steady: Bool?
        public var steadyAfterNanoseconds: Integer64?

        public init(device: String, outcome: String, iterations: Int, settings: [String]) {
            (self.device, self.outcome, self.iterations, self.settings) = (device, outcome, iterations, settings)
        }
    }

    public struct Measurement: Encodable, Sendable {
        /// Parts of the pixels.
        var clippedHigh: Double
        var clippedLow: Double
        var encoded: Colour
        var firstFrame: Integer64
        var frames: Int
        var lastFrame: Integer64
        var linear: Colour
        /// `raw`, `measured` or `assumedSRGB`.
        var linearization: PictureMeasurement.Linearization
        /// The deviations of red, green and blue from the target, as parts of it.
        var residual: [Double]?
        /// The difference between the brightest and the darkest frame, as a part of the mean.
        var spread: Double

        public init(_ measurement: PictureMeasurement, residual: [Double]?) {
            clippedHigh = Colour.rounded(measurement.clippedHigh)
            clippedLow = Colour.rounded(measurement.clippedLow)
            (encoded, linear) = (Colour(measurement.encoded), Colour(measurement.linear))
            firstFrame = Integer64(Int64(clamping: measurement.first.sequence))
            lastFrame = Integer64(Int64(clamping: measurement.last.sequence))
            (frames, linearization) = (measurement.frames, measurement.linearization)
            self.residual = residual?.map(Colour.rounded)
            spread = Colour.rounded(measurement.spread)
        }
    }

    /// 0 to 1 each.
    public struct Colour: Encodable, Sendable {
        var blue: Double
        var green: Double
        var red: Double

        public init(_ mean: ColourMean) {
            (red, green, blue) = (Self.rounded(mean.red), Self.rounded(mean.green), Self.rounded(mean.blue))
        }

        static func rounded(_ value: Double) -> Double { (value * 100_000).rounded() / 100_000 }
    }
}
