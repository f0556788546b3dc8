import CaptureModel
import Video4Linux

/// Turns the stamps of one stream's frames into instants that rise from frame to frame.
///
/// A ring and a choice by time need frames in the order of their exposure, and a driver's stamps may step back: where it
/// derives them from a camera's own clock, or mixes two. A stamp whose instant is not after that of the frame before is
/// not believed; the frame then counts as exposed when it was dequeued, with that bound. Where even this is not after the
/// frame before, whose stamp then lay ahead, the instant is one nanosecond later than that frame's, and the bound wider by
/// the difference. A stream that goes on with stamps of the past keeps its frames, with the bounds of receipt times.
struct RisingStamps: Hashable, Sendable {
    let rule: StampRule
    private var last: LocalTime?

    init(_ rule: StampRule) {
        self.rule = rule
    }

    mutating func take(_ buffer: FilledBuffer, exposure: Duration?, dequeued: LocalTime) -> StampRule.Result {
        let result = rising(buffer, exposure, dequeued)
        last = result.midExposure
        return result
    }

    private func rising(_ buffer: FilledBuffer, _ exposure: Duration?, _ dequeued: LocalTime) -> StampRule.Result {
        let stamped = rule.apply(to: buffer, exposure: exposure, dequeued: dequeued)
        guard let last, stamped.midExposure <= last else { return stamped }
        let received = rule.receipt(exposure: exposure, dequeued: dequeued)
        guard received.midExposure <= last else { return received }
        let next = last + .nanoseconds(1)
        return StampRule.Result(midExposure: next, bound: received.bound + (next - received.midExposure))
    }
}
