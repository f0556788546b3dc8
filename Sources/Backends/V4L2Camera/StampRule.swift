import CaptureModel
import Video4Linux

/// Turns a driver's stamp into mid-exposure on this machine's clock, with a bound.
///
/// | stamp | mid-exposure |
/// |---|---|
/// | monotonic, start of exposure | stamp + exposure / 2 + latency offset |
/// | monotonic, end of frame | stamp − readout − exposure / 2 + latency offset |
/// | any other, or not plausible | when it was dequeued + latency offset |
///
/// The bound is half an exposure (of an unknown one: half a frame, since an exposure lasts a frame at most) plus the
/// calibration's uncertainty, or plus one frame where nothing was measured or the stamp is none.
/// An unknown exposure counts as zero in the table.
///
/// A stamp is plausible when it lies within ten seconds before its dequeuing, or up to a frame after it: drivers that
/// stamp by another clock in spite of their flags, and processes in a time namespace, must not produce a wrong instant.
struct StampRule: Hashable, Sendable {
    var calibration: StampCalibration
    var frameInterval: Duration

    /// A stamp turned into an instant.
    struct Result: Hashable, Sendable {
        var midExposure: LocalTime
        var bound: Duration
    }

    private static let oldest = Duration.seconds(10)

    func apply(to buffer: FilledBuffer, exposure: Duration?, dequeued: LocalTime) -> Result {
        guard let stamp = plausibleStamp(buffer, dequeued), buffer.stampSource != .unknown else {
            return receipt(exposure: exposure, dequeued: dequeued)
        }
        let half = (exposure ?? .zero) / 2
        let spread = (exposure ?? frameInterval) / 2
        let uncertainty = calibration.uncertainty ?? frameInterval
        let shift = buffer.stampSource == .startOfExposure ? half : .zero - calibration.readout - half
        return Result(midExposure: stamp + shift + calibration.latencyOffset, bound: spread + uncertainty)
    }

    /// The instant of a frame whose stamp tells nothing.
    func receipt(exposure: Duration?, dequeued: LocalTime) -> Result {
        let spread = (exposure ?? frameInterval) / 2
        return Result(midExposure: dequeued + calibration.latencyOffset, bound: spread + frameInterval)
    }

    private func plausibleStamp(_ buffer: FilledBuffer, _ dequeued: LocalTime) -> LocalTime? {
        guard buffer.stampClock == .monotonic, let nanoseconds = buffer.stampNanoseconds else { return nil }
        let stamp = LocalTime(nanoseconds: nanoseconds)
        let age = dequeued - stamp
        return age <= Self.oldest && age >= .zero - frameInterval ? stamp : nil
    }
}
