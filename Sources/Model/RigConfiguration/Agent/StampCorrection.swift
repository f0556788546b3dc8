/// The measured correction of a camera's timestamps. A virtual camera's timestamps are exact and need none.
public struct StampCorrection: Hashable, Sendable {
    /// Added to every timestamp; negative for a camera that stamps late.
    public var latencyOffset: Duration
    /// From the middle line's end of exposure to the arrival of the last pixel.
    public var readout: Duration
    /// The largest error of the two; nil if they were not measured, which counts as a frame interval.
    public var uncertainty: Duration?

    public init(latencyOffset: Duration = .zero, readout: Duration = .zero, uncertainty: Duration? = nil) {
        self.latencyOffset = latencyOffset
        self.readout = readout
        self.uncertainty = uncertainty
    }
}
