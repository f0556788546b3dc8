public import CaptureModel

/// How late a control acts, from settings transactions that have set it and were confirmed by frames. A value without a
/// clock.
public struct DelaySamples: Hashable, Sendable {
    /// How many are needed.
    public static let needed = 20
    /// By how many frames the range is widened on either side, because the samples need not have shown its ends.
    public static let margin = 1

    private struct Sample: Hashable, Sendable {
        var accepted: RigTime
        /// Mid-exposures.
        var lastOld: RigTime
        var firstNew: RigTime

        /// Time from frame to frame.
        var interval: Int64 { (firstNew - lastOld).nanoseconds }
    }

    private var samples: [Sample] = []

    public init() {}

    public var count: Int { samples.count }
    public var isComplete: Bool { count >= Self.needed }

    /// Adds what a transaction has shown, if it is exact: the first new frame follows the last old one.
    /// - Returns: Whether it was added.
    @discardableResult
    public mutating func add(_ effect: SettingsEffect) -> Bool {
        guard effect.change.evidence == .pixels || effect.change.evidence == .metadata,
            effect.change.undecidedFrames == 0, let lastOld = effect.change.lastOld,
            let firstNew = effect.change.firstNew
        else { return false }
        samples.append(
            Sample(
                accepted: effect.accepted.time, lastOld: lastOld.midExposure.time, firstNew: firstNew.midExposure.time))
        return true
    }

    /// Returns the delay, as ``ControlDelay`` counts it; nil without samples.
    public func delay(of control: String) -> ControlDelay? {
        // The samples may be of several streams, whose frames are numbered from the start again.
        let intervals = samples.map(\.interval).sorted()
        guard !intervals.isEmpty else { return nil }
        let interval = Double(intervals[intervals.count / 2])
        guard interval > 0 else { return nil }
        func late(_ instant: RigTime, _ sample: Sample) -> Double {
            Double((instant - sample.accepted).nanoseconds) / interval
        }
        let news = samples.map { late($0.firstNew, $0) }
        let olds = samples.map { late($0.lastOld, $0) }
        guard let earliest = news.min(), let latest = news.max(), let leastOld = olds.min() else { return nil }
        // A frame that does not state its exposure time may have been exposed an interval before and after its stamp. So the
        // first frame that surely began after the acceptance is stamped an interval later, and the last one that surely
        // began before it an interval earlier.
        let most = Self.whole(latest - 1)
        let fewest = Self.whole(leastOld + 1) + 1
        return ControlDelay(
            control, fewest: max(min(fewest, most) - Self.margin, 0),
            most: min(max(most, 0) + Self.margin, ControlDelay.limit),
            middleThousandths: Int((min(max((earliest + latest) / 2, 0), 62) * 1000).rounded()))
    }

    private static func whole(_ frames: Double) -> Int { Int(min(max(frames, -1), 100).rounded(.down)) }
}

/// The values between which a control is stepped to see how late it acts.
public struct CalibrationSteps: Hashable, Sendable {
    /// The controls whose steps pictures show, if the camera has them.
    public static let controls = ["exposure_time_absolute", "exposure_absolute", "exposure", "gain", "analogue_gain"]

    public let control: String
    /// The value that the control has, which it gets back.
    public let present: Int64
    /// Other values: from the largest step to the smallest one that is tried.
    public let others: [Int64]

    /// - Parameter frameInterval: Exposures are not stepped beyond it.
    /// - Returns: nil if the control has no value, or cannot be set at present.
    public init?(_ control: DeviceControl, frameInterval: Duration?) {
        guard let present = control.value, !control.isReadOnly, !control.isInactive, control.maximum > control.minimum
        else { return nil }
        (self.control, self.present) = (control.name, present)
        let step = max(control.step, 1)
        var most = control.maximum
        var wanted: [Double] = []
        if control.name.contains("exposure") {
            if control.name != "exposure", let frameInterval {
                most = min(most, max(frameInterval.nanoseconds / 100_000, control.minimum))
            }
            wanted = [0.5, 2, 0.75, 1.5].map { Double(present) * $0 }
        } else {
            let range = Double(control.maximum) - Double(control.minimum)
            wanted = [8.0, -8, 16, -16, 32, -32].map { Double(present) + range / $0 }
        }
        let minimum = control.minimum
        others = wanted.compactMap { value -> Int64? in
            let steps = ((value - Double(minimum)) / Double(step)).rounded()
            guard steps >= 0, value <= Double(most), let count = Int64(exactly: steps) else { return nil }
            let (offset, isFar) = count.multipliedReportingOverflow(by: step)
            let (rounded, isTooFar) = minimum.addingReportingOverflow(offset)
            return !isFar && !isTooFar && rounded != present && rounded <= most ? rounded : nil
        }
        guard !others.isEmpty else { return nil }
    }
}
