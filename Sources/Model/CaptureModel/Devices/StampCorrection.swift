/// The measured correction of a camera's timestamps, as its node's configuration states it. The default means that nothing
/// was measured.
public struct StampCorrection: Hashable, Codable, Sendable {
    /// Added to every timestamp; negative for a camera that stamps late. uvcvideo reports "start of exposure" but stamps
    /// the arrival of the first USB payload.
    public var latencyOffset: Duration
    /// From the middle line's end of exposure to the arrival of the last pixel. Used for stamps made at the end of a frame.
    public var readout: Duration
    /// The largest error of the two; nil if they were not measured, which counts as a frame interval.
    public var uncertainty: Duration?
    /// The exposure time at which `latencyOffset` was measured; nil if that is not stated.
    public var measuredExposure: Duration?
    /// The day of the measurement; nil if that is not stated.
    public var measuredOn: CalendarDay?

    public init(
        latencyOffset: Duration = .zero, readout: Duration = .zero, uncertainty: Duration? = nil,
        measuredExposure: Duration? = nil, measuredOn: CalendarDay? = nil
    ) {
        self.latencyOffset = latencyOffset
        self.readout = readout
        self.uncertainty = uncertainty
        self.measuredExposure = measuredExposure
        self.measuredOn = measuredOn
    }
}
