import CameraSettings
import CaptureModel

/// Controls that were set for a picture of a capture, and the frames that have them. A value without a clock.
///
/// ``ChangeoverWatch`` finds the first frame that surely has them. Where it cannot, a frame counts some time after the
/// camera has accepted the values. Then it is not known that the frame has them, and the capture says so.
struct AppliedSetting: Hashable, Sendable {
    /// How many frame intervals a frame may be late in addition.
    private static let patience = 10

    let watch: ChangeoverWatch
    /// Exposure time read back; nil if it was not set.
    let exposure: Duration?
    /// What the frames have shown; nil until it is final.
    private(set) var change: ObservedChangeover?

    init(watch: ChangeoverWatch, exposure: Duration?) {
        (self.watch, self.exposure) = (watch, exposure)
    }

    /// Compares the frames with the setting.
    /// - Parameter frames: In order, beginning before the controls were set.
    /// - Returns: What they have shown, as soon as it is final, once.
    mutating func observe(_ frames: [FrameFacts], at now: LocalTime) -> ObservedChangeover? {
        guard change == nil, let found = watch.observed(in: frames, at: now) else { return nil }
        change = found
        return found
    }

    /// Returns whether a frame counts.
    /// - Parameter intervals: How many frame intervals after the acceptance its exposure began, if there is no evidence.
    ///   If both exposure times are known, it lasted as long as was set, too, within a twentieth or 100 µs.
    func covers(_ frame: RingFrame, after intervals: Int) -> Bool {
        guard let change else { return false }
        if let first = change.firstNew { return frame.sequence >= first.sequence }
        // Frames that should have shown the values and have not do not have them.
        guard watch.rule == .unknown else { return false }
        let start = frame.midExposure - (frame.exposure ?? watch.interval) / 2 - frame.stampBound
        guard start >= watch.accepted + watch.interval * intervals else { return false }
        guard let exposure, let told = frame.exposure else { return true }
        return (told - exposure).magnitude <= Self.tolerance(exposure)
    }

    /// Returns how much the exposure time that a frame states may differ from the one that was set.
    static func tolerance(_ exposure: Duration) -> Duration { max(exposure / 20, .microseconds(100)) }

    /// The instant after which no frame with the setting is expected.
    var deadline: LocalTime {
        let frames =
            switch watch.rule {
            case .unchanged: CapturePlan.settlingFrames
            case .metadata, .pixels, .status: Int(ChangeoverWatch.frameLimit)
            case .calibrated(let delay): delay.most + CapturePlan.settlingFrames
            case .unknown: CapturePlan.lateFrames
            }
        return watch.accepted + watch.interval * (frames + Self.patience)
    }
}
