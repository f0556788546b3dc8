/// The measured correction of a camera's timestamps, as its node's configuration states it.
public struct StampCorrection: Hashable, Codable, Sendable {
    /// Added to every timestamp; negative for a camera that stamps late.
    public var latencyOffset: Duration
    /// From the middle line's end of exposure to the arrival of the last pixel.
    public var readout: Duration
    /// The largest error of the two; nil if they were not measured, which counts as a frame interval.
    public var uncertainty: Duration?
    /// The exposure time at which `latencyOffset` was measured; nil if that is not stated.
    public var measuredExposure: Duration?

    public init(
        latencyOffset: Duration = .zero, readout: Duration = .zero, uncertainty: Duration? = nil,
        measuredExposure: Duration? = nil
    ) {
        self.latencyOffset = latencyOffset
        self.readout = readout
        self.uncertainty = uncertainty
        self.measuredExposure = measuredExposure
    }
}
