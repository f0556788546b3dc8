import CaptureModel

/// What is known of the settings of a frame, and therefore of its exposure.
struct FrameExposure: Hashable, Sendable {
    /// nil: no transaction has made them.
    var settings: FrameSettings?
    /// Exposure time; nil if the camera does not report it, or it was being changed.
    var time: Duration?
    /// Gain in the units of the camera's control; nil as ``time``.
    var gain: Int64?
    /// Largest error of the frame's mid-exposure.
    var bound: Duration

    /// - Parameters:
    ///   - revisions: Those of the frame's stream.
    ///   - isStated: Whether the frame's exposure time and gain are those that it was taken with, and not those of its camera's controls.
    ///   - interval: Time from frame to frame.
    init<Payload>(
        of frame: StampedFrame<Payload>, revisions: SettingsRevisions, isStated: Bool, interval: Duration
    ) {
        settings = revisions.settings(at: frame.sequence)
        (time, gain, bound) = (frame.exposure, frame.gain, frame.stampBound)
        guard !isStated, case .changing = settings else { return }
        gain = nil
        guard let possible = revisions.exposures(at: frame.sequence) else { return }
        time = nil
        bound += Self.error(frame.exposure, possible, interval)
    }

    /// Returns by how much the mid-exposure may be wrong, which was computed with one exposure time or, without one, with a
    /// bound for all up to the interval.
    private static func error(
        _ used: Duration?, _ possible: ClosedRange<Duration>, _ interval: Duration
    ) -> Duration {
        guard let used else { return max(.zero, possible.upperBound - interval) / 2 }
        return max((used - possible.lowerBound).magnitude, (possible.upperBound - used).magnitude) / 2
    }
}
