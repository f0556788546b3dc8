import CaptureModel

/// Watches whether a camera delivers frames at the rate that its format states. Pure: the frames are its clock.
///
/// It compares the mean interval of periods of two seconds, at least eight frames of the stated rate. Frames that are
/// missing in the sequence numbers are losses, with counters of their own, and count as delivered. A change is noticed
/// when two periods in a row agree, so a rate is told once it has settled.
struct RateWatch: Sendable {
    /// The interval that the format states.
    let stated: Duration
    /// The measured interval while the camera is slower than its format states; otherwise nil.
    private(set) var slow: Duration?
    private var start: (sequence: UInt64, midExposure: LocalTime)?
    private var last: Duration?

    private static let shortestPeriod = Duration.seconds(2)
    private static let fewestFrames = 8

    init(stated: Duration) {
        self.stated = stated
    }

    /// Notes a good frame.
    /// - Returns: Whether ``slow`` has changed.
    mutating func note(sequence: UInt64, midExposure: LocalTime) -> Bool {
        guard let start, sequence > start.sequence, midExposure > start.midExposure else {
            start = (sequence, midExposure)
            return false
        }
        let period = midExposure - start.midExposure
        guard period >= max(Self.shortestPeriod, stated * Self.fewestFrames) else { return false }
        self.start = (sequence, midExposure)
        let interval = period / Int(clamping: min(sequence - start.sequence, 1 << 31))
        defer { last = interval }
        guard let last, isSame(last, interval) else { return false }
        return settle(on: interval)
    }

    private mutating func settle(on interval: Duration) -> Bool {
        let before = slow
        if interval * 100 > stated * 110 {
            if let slow, isSame(slow, interval) { return false }
            slow = interval
        } else if interval * 100 < stated * 105 {
            slow = nil
        }
        return slow != before
    }

    /// Whether two intervals differ by at most a tenth.
    private func isSame(_ one: Duration, _ other: Duration) -> Bool {
        (one - other).magnitude * 10 <= one
    }
}

extension RateWatch {
    /// A sentence that says that the camera is slower than its format states, and what to do; nil while it is not.
    func remark(on device: DeviceID) -> String? {
        slow.map { slow in
            "it delivers \(Self.rate(slow)) of \(Self.rate(stated)) frames per second, so its pictures are farther from T. "
                + "If its exposure is automatic, add light, or keep the rate with `capctl settings set "
                + "exposureDynamicFrameRate=off \(device)` (V4L2's exposure_dynamic_framerate), which makes "
                + "pictures darker"
        }
    }

    /// Frames per second with at most one decimal.
    private static func rate(_ interval: Duration) -> String {
        let tenths = (Duration.seconds(10) / max(interval, .nanoseconds(1))).rounded()
        return tenths.truncatingRemainder(dividingBy: 10) == 0 ? "\(Int(tenths / 10))" : "\(tenths / 10)"
    }
}
