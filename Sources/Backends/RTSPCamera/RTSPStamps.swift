import CameraKit
import CaptureModel

/// Turns what is known of a network camera's pictures into mid-exposures with bounds.
///
/// | known | mid-exposure | bound |
/// |---|---|---|
/// | arrival | arrival + latency offset, which is usually 0 | to the farther of the arrival and the arrival less the largest latency |
/// | the camera's time | ``CameraClock`` + latency offset | the same, which does not rely on the camera's clock |
/// | the camera's time for some seconds, and a measured latency | the same | uncertainty, and the doubt of ``CameraClock`` |
///
/// A measured latency is that of the soonest pictures, so its uncertainty says nothing of single arrivals. Instants rise from picture to picture.
struct RTSPStamps {
    private var arrivals: ArrivalStamps
    private var clock: CameraClock

    /// - Parameter wrap: How long RTP's 32 bits last.
    init(_ correction: StampCorrection, largestLatency: Duration, wrap: Duration) {
        arrivals = ArrivalStamps(correction, largestLatency: largestLatency)
        clock = CameraClock(wrap: wrap)
    }

    /// How often the camera's clock has jumped.
    var jumps: UInt64 { clock.jumps }

    /// Notes the times of the next picture, in the order of arrival.
    /// - Returns: Its instant by the camera's clock; nil if the camera has not told it.
    mutating func observe(_ wallClock: Duration?, mediaTime: Duration?, arrival: Arrival) -> CameraClock.Reading? {
        guard let wallClock else { return nil }
        return clock.read(wallClock, mediaTime: mediaTime, arrival: arrival.instant)
    }

    /// Returns the stamp of the next picture, in the order in which pictures are shown.
    mutating func stamp(of arrival: Arrival, _ told: CameraClock.Reading?) -> FrameStamp {
        let middle = (told?.instant ?? arrival.instant) + arrivals.correction.latencyOffset
        let earliest = arrival.instant - arrival.delay - arrivals.largestLatency
        var bound = max((middle - earliest).magnitude, (arrival.instant - middle).magnitude)
        var isCorrected = false
        if let told, told.isSettled, let uncertainty = arrivals.correction.uncertainty {
            bound = uncertainty + told.doubt
            isCorrected = true
        }
        return arrivals.rising(FrameStamp(midExposure: middle, bound: bound, isCorrected: isCorrected))
    }
}
