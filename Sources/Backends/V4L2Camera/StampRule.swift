import CameraKit
import CaptureModel
import PosixSupport
import Video4Linux

/// Converts a driver's stamp, or the time of a camera's clock, to mid-exposure on this machine's clock, with a bound.
///
/// | stamp | mid-exposure |
/// |---|---|
/// | the camera's clock | instant + exposure / 2 + latency offset |
/// | monotonic, start of exposure | stamp + exposure / 2 + latency offset |
/// | monotonic, end of frame | stamp − readout − exposure / 2 + latency offset |
/// | any other, or not plausible | dequeue time + latency offset |
///
/// The limit of a frame without a usable stamp is at least the time for which it may have waited to be dequeued.
///
/// A correction holds for the camera's clock or for the others, as it was measured. The others count as not measured.
///
/// The bound is half an exposure (if unknown: half of the frame's ``ExposureLimit``) plus the correction's uncertainty,
/// or plus the limit if nothing was measured or the stamp is not usable. An unknown exposure counts as zero in the
/// table. By the camera's clock, the doubt of its ``UVCClock/Reading`` is added. A measured offset contains the error of the line of that
/// stream, so the doubt counts a second time, and at least ``UVCClockLine/samePlaceDoubt``, because that of then is not known. What the
/// camera calls the beginning of a frame is not known, so that the clock makes no bound smaller until its latency was measured: the bound
/// has every instant from the arrival of the first payload back to a limit before it, in which the driver's rule has the exposure begin.
///
/// If the offset was measured at a stated exposure, it is exact there, wherever in the frame the driver stamps. At another
/// exposure, an instant is off by the difference at most, so this counts instead of half an exposure; for an unknown
/// exposure, half the difference to the farthest one.
///
/// A stamp is plausible if it is within ten seconds before its dequeuing, or up to a frame after it. Drivers that stamp
/// with another clock despite their flags, and processes in a time namespace, must not produce a wrong instant.
struct StampRule: Hashable, Sendable {
    var correction: StampCorrection
    /// The interval that the driver states.
    var frameInterval: Duration

    /// A stamp turned into an instant.
    struct Result: Hashable, Sendable {
        var midExposure: LocalTime
        var bound: Duration
        /// Whether the bound contains the uncertainty of a measured correction.
        var isCorrected = false
    }

    private static let oldest = Duration.seconds(10)

    /// - Parameters:
    ///   - exposure: The exposure time, if the camera reports it.
    ///   - limit: The longest time for which the frame can have been exposed.
    ///   - arrival: When the frame was dequeued.
    func apply(to buffer: FilledBuffer, exposure: Duration?, limit: Duration, arrival: Arrival) -> Result {
        guard let stamp = usableStamp(of: buffer, dequeued: arrival.instant) else {
            return receipt(exposure: exposure, limit: limit, arrival: arrival)
        }
        let correction = correction.part(for: StampOrigin(buffer))
        let half = (exposure ?? .zero) / 2
        let spread = correction.spread(exposure: exposure, limit: limit)
        let uncertainty = correction.uncertainty ?? limit
        let shift = buffer.stampSource == .startOfExposure ? half : .zero - correction.readout - half
        return Result(
            midExposure: stamp + shift + correction.latencyOffset, bound: spread + uncertainty,
            isCorrected: correction.uncertainty != nil)
    }

    /// Returns the instant of a frame that the camera's clock has stamped.
    func apply(_ reading: UVCClock.Reading, exposure: Duration?, limit: Duration) -> Result {
        let correction = correction.part(for: .cameraClock)
        let spread = correction.spread(exposure: exposure, limit: limit)
        let farthest = reading.lag < .zero ? limit - reading.lag : max(limit, reading.lag)
        let measured = correction.uncertainty.map { $0 + max(reading.doubt, UVCClockLine.samePlaceDoubt) }
        return Result(
            midExposure: reading.instant + (exposure ?? .zero) / 2 + correction.latencyOffset,
            bound: spread + (measured ?? farthest) + reading.doubt,
            isCorrected: correction.uncertainty != nil)
    }

    /// Returns the instant of a frame without a usable stamp.
    func receipt(exposure: Duration?, limit: Duration, arrival: Arrival) -> Result {
        let correction = correction.part(for: .driver)
        let spread = (exposure ?? limit) / 2
        return Result(
            midExposure: arrival.instant + correction.latencyOffset, bound: spread + max(limit, arrival.delay))
    }

    /// Returns the stamp of a frame; nil if it is not plausible, or the driver does not say what it is.
    func usableStamp(of buffer: FilledBuffer, dequeued: LocalTime) -> LocalTime? {
        guard StampOrigin(buffer) != .arrival, let nanoseconds = buffer.stampNanoseconds else { return nil }
        let stamp = LocalTime(nanoseconds: nanoseconds)
        let age = dequeued - stamp
        return age <= Self.oldest && age >= .zero - frameInterval ? stamp : nil
    }
}

/// The buffer numbers of ended leases, for the camera's thread to queue again.
///
/// Leases end on any thread, but only the camera's thread uses the queue. So nothing is queued after the device has
/// stopped, even if leases still exist.
final class ReturnedBuffers: Sendable {
    private struct State {
        var returned: [UInt32] = []
        /// Whether the next return must wake the camera's thread.
        var isAwaited = false
    }

    private let state = Locked(State())
    /// Raised by an awaited return.
    let signal: EventFlag

    init(signal: EventFlag) {
        self.signal = signal
    }

    /// Returns a buffer. Any thread; never blocks for long.
    func add(_ index: UInt32) {
        let isAwaited = state.withLock { state in
            state.returned.append(index)
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { signal.signal() }
    }

    /// Removes the buffers returned after the last call.
    /// - Parameter awaitsMore: Gets their number, and returns whether the next return must raise the signal.
    func removeAll(awaitsMore: (_ count: Int) -> Bool) -> [UInt32] {
        state.withLock { state in
            state.isAwaited = awaitsMore(state.returned.count)
            defer { state.returned.removeAll(keepingCapacity: true) }
            return state.returned
        }
    }
}

/// Converts the stamps of one stream's frames to instants that increase from frame to frame.
///
/// A ring and a choice by time need frames in the order of their exposure, but a driver's stamps may step back, if it
/// derives them from a camera's own clock or mixes two clocks. If the instant of a stamp is not after that of the
/// previous frame, it is rejected: the frame then counts as exposed when it was dequeued, with that bound. If even this
/// is not after the previous frame, whose stamp was then too late, the instant is one nanosecond after that frame's,
/// and the bound is wider by the difference. A stream that continues with past stamps keeps its frames, with the bounds
/// of receipt times.
///
/// Where stamps of the camera's clock follow those of the driver, they step back by the camera's latency. They are not in error. So a frame
/// that would not be after the one before is one nanosecond after it, with the bound of its stamp and the difference.
struct MonotonicStamps: Sendable {
    let rule: StampRule
    private var limit: ExposureLimit
    private var last: LocalTime?

    /// - Parameter start: When the stream was started.
    init(_ rule: StampRule, start: LocalTime) {
        self.rule = rule
        limit = ExposureLimit(stated: rule.frameInterval, start: start)
    }

    /// - Parameters:
    ///   - skipped: The frames that the driver lost before this one.
    ///   - arrival: When the frame was dequeued.
    ///   - reading: Of the camera's clock, which is preferred to the driver's stamp; nil if it has not stamped the frame.
    mutating func stamp(
        _ buffer: FilledBuffer, skipped: UInt64 = 0, exposure: Duration?, arrival: Arrival,
        reading: UVCClock.Reading? = nil
    ) -> StampRule.Result {
        let limit = limit.next(
            stamp: rule.usableStamp(of: buffer, dequeued: arrival.instant),
            isStartOfExposure: buffer.stampSource == .startOfExposure, skipped: skipped, dequeued: arrival.instant)
        let result =
            reading.map { rising(rule.apply($0, exposure: exposure, limit: limit)) }
            ?? rising(buffer, exposure, limit, arrival)
        last = result.midExposure
        return result
    }

    private func rising(_ stamped: StampRule.Result) -> StampRule.Result {
        guard let last, stamped.midExposure <= last else { return stamped }
        let next = last + .nanoseconds(1)
        return StampRule.Result(
            midExposure: next, bound: stamped.bound + (next - stamped.midExposure), isCorrected: stamped.isCorrected)
    }

    private func rising(
        _ buffer: FilledBuffer, _ exposure: Duration?, _ limit: Duration, _ arrival: Arrival
    ) -> StampRule.Result {
        let stamped = rule.apply(to: buffer, exposure: exposure, limit: limit, arrival: arrival)
        guard let last, stamped.midExposure <= last else { return stamped }
        return rising(rule.receipt(exposure: exposure, limit: limit, arrival: arrival))
    }
}

extension StampOrigin {
    /// What a driver says that the stamp of a frame is; `arrival` if it cannot be used.
    init(_ buffer: FilledBuffer) {
        self =
            switch (buffer.stampClock, buffer.stampSource) {
            case (.monotonic, .startOfExposure): .startOfExposure
            case (.monotonic, .endOfFrame): .endOfFrame
            case (.monotonic, .unknown), (.unknown, _): .arrival
            }
    }
}

extension StampCorrection {
    /// Returns the correction of stamps of an origin: of others than were measured, one that says that nothing was.
    func part(for origin: StampOrigin) -> StampCorrection {
        if holds(for: origin) { return self }
        return StampCorrection(measuredStamps: origin == .cameraClock ? .cameraClock : nil)
    }

    /// Returns how far mid-exposure may be from where the rule puts it, because of the exposure.
    func spread(exposure: Duration?, limit: Duration) -> Duration {
        guard let measuredExposure, uncertainty != nil else { return (exposure ?? limit) / 2 }
        guard let exposure else { return max(measuredExposure, (limit - measuredExposure).magnitude) / 2 }
        return (exposure - measuredExposure).magnitude
    }
}
