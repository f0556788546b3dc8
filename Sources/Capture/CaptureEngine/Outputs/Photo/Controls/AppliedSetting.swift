import CaptureModel

/// Controls that were set, and how to tell a frame that has them.
struct AppliedSetting: Hashable, Sendable {
    /// When the device had answered.
    var since: LocalTime
    /// Exposure time read back; nil where it was not set.
    var exposure: Duration?
    /// Time from frame to frame.
    var interval: Duration

    /// A frame has the setting where its exposure began ``CapturePlan/settlingFrames`` intervals after it was made and, where
    /// both are told, lasted as long as was set, within a twentieth or 100 µs.
    func covers(_ frame: RingFrame) -> Bool {
        let start = frame.midExposure - (frame.exposure ?? interval) / 2 - frame.stampBound
        guard start >= since + interval * CapturePlan.settlingFrames else { return false }
        guard let exposure, let told = frame.exposure else { return true }
        return (told - exposure).magnitude <= max(exposure / 20, .microseconds(100))
    }

    /// After so long, a frame with the setting does not come any more.
    var deadline: LocalTime { since + interval * (CapturePlan.settlingFrames + 10) }
}
