import CameraKit
import CaptureModel
import RigConfiguration

/// When the pictures of a camera were exposed, from what the helper has seen.
///
/// | known | the exposure was | mid-exposure | bound |
/// |---|---|---|---|
/// | request, file | between the request and the event of the file | the middle | half of that time |
/// | and the lag | | request + lag + latency offset | to the farther end, or the uncertainty of the stamps |
/// | file (wired) | in the largest latency before the event | the middle | half of that time |
/// | and the latency offset | | event + latency offset | to the farther end, or the uncertainty |
///
/// A lag or an offset that contradicts what was seen is not believed: then the row before holds. Pure.
struct StillStamps: Sendable {
    var correction: StampCorrection
    /// The usual time from request to mid-exposure; nil if it is not known.
    var lag: Duration?
    /// Of a wired camera: the longest time from mid-exposure to the event of the file.
    var largestLatency: Duration

    /// Returns the stamp of a picture that was requested.
    func stamp(requested before: LocalTime, _ event: CardEvent) -> FrameStamp {
        let seen = before...max(before, event.instant)
        return stamp(within: seen, estimate: lag.map { before + $0 + correction.latencyOffset })
    }

    /// Returns the stamp of a picture that a trigger has caused.
    func stamp(wired event: CardEvent) -> FrameStamp {
        let offset = correction.latencyOffset
        return stamp(within: interval(wired: event), estimate: offset == .zero ? nil : event.instant + offset)
    }

    /// Returns when a picture that a trigger has caused may have been exposed.
    func interval(wired event: CardEvent) -> ClosedRange<LocalTime> { event.since - largestLatency...event.instant }

    private func stamp(within seen: ClosedRange<LocalTime>, estimate: LocalTime?) -> FrameStamp {
        let length = seen.upperBound - seen.lowerBound
        guard let estimate else { return FrameStamp(midExposure: seen.lowerBound + length / 2, bound: length / 2) }
        let error = correction.uncertainty ?? .zero
        // A claim none of whose instants are possible.
        guard estimate + error >= seen.lowerBound, estimate - error <= seen.upperBound else {
            return FrameStamp(midExposure: seen.lowerBound + length / 2, bound: length / 2)
        }
        let middle = min(max(estimate, seen.lowerBound), seen.upperBound)
        let farther = max(middle - seen.lowerBound, seen.upperBound - middle)
        let claimed = correction.uncertainty.map { $0 + (middle - estimate).magnitude }
        return FrameStamp(midExposure: middle, bound: claimed.map { min($0, farther) } ?? farther)
    }
}
