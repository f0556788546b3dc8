import CaptureModel

/// One frame of a virtual sensor, as planned.
struct Exposure: Hashable {
    /// Counts the exposures of the stream from 0.
    var sequence: UInt64
    var midExposure: LocalTime
    /// How long the shutter is open.
    var length: Duration
    /// When the frame has been read out.
    var delivery: LocalTime
    /// Exposures before this one that nobody could take.
    var skipped: UInt64
}
