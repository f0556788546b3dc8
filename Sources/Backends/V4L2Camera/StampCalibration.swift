/// What was measured of a camera's time stamps, per camera model and mode; the default says that nothing was.
public struct StampCalibration: Hashable, Codable, Sendable {
    /// Added to every stamp. Negative for a camera whose driver stamps later than the instant it names: uvcvideo says
    /// "start of exposure" and means the arrival of the first USB payload.
    public var latencyOffset: Duration
    /// From the middle line's end of exposure to the last pixel's arrival; used for stamps made at the end of a frame.
    public var readout: Duration
    /// How far the two may be off; nil while nothing was measured, which counts as a frame interval.
    public var uncertainty: Duration?

    public init(latencyOffset: Duration = .zero, readout: Duration = .zero, uncertainty: Duration? = nil) {
        self.latencyOffset = latencyOffset
        self.readout = readout
        self.uncertainty = uncertainty
    }
}
