import CameraSettings
import CaptureModel

/// What a frame tells about the settings that it was exposed with.
struct FrameFacts: Hashable, Sendable {
    var sequence: UInt64
    var midExposure: LocalTime
    /// Largest error of `midExposure`.
    var stampBound: Duration
    /// Exposure time, if the camera states with the frame what it was taken with.
    var exposure: Duration?
    /// Gain in the units of the camera's control, likewise.
    var gain: Int64?

    // Where the exposure is not stated, `midExposure` was computed with another one, which may be too short or too long
    // by as much as the longest.

    /// Whether its exposure surely ended before an instant.
    /// - Parameter longest: How long the exposure may have lasted if it is not stated.
    func ended(before instant: LocalTime, longest: Duration) -> Bool {
        midExposure + (exposure.map { $0 / 2 } ?? longest) + stampBound <= instant
    }

    /// Whether its exposure surely began after an instant.
    /// - Parameter longest: As above.
    func began(after instant: LocalTime, longest: Duration) -> Bool {
        midExposure - (exposure.map { $0 / 2 } ?? longest) - stampBound >= instant
    }

    /// Whether its exposure surely began before an instant.
    /// - Parameter longest: As above.
    func began(before instant: LocalTime, longest: Duration) -> Bool {
        midExposure + (exposure.map { .zero - $0 / 2 } ?? longest) + stampBound < instant
    }
}

extension FrameFacts {
    /// - Parameter isStated: Whether the frame's exposure time and gain are those that it was taken with.
    init(_ frame: RingFrame, isStated: Bool) {
        self.init(
            sequence: frame.sequence, midExposure: frame.midExposure, stampBound: frame.stampBound,
            exposure: isStated ? frame.exposure : nil, gain: isStated ? frame.gain : nil)
    }
}

/// The frames between which the pictures changed.
struct ObservedChangeover: Hashable, Sendable {
    var evidence: SettingsChangeover.Evidence
    var lastOld: FrameFacts?
    var firstNew: FrameFacts?
}

/// Finds the frames between which a camera's pictures change after its controls were set. A value without a clock.
///
/// | rule | applies if | last old frame | first new frame |
/// |---|---|---|---|
/// | unchanged | every control had its value, and nothing was set shortly before | none | the first that began after the acceptance |
/// | metadata | frames state every value that changes, and old and new can be told apart | the last before the first that differs | the first that states all new values |
/// | pixels | one control of exposure or gain changes, and the pictures before are those of its old value | as ``PixelStep`` says | as ``PixelStep`` says |
/// | status | nothing but the focus changes, and the driver has told when the camera had focused | the last that ended before setting began | the first that began after that |
/// | calibrated | the delay of every control that changes was measured | the last that ended before setting began, and as many frames later as the least delay says | as many frames as the greatest delay says after the first that began after the acceptance |
/// | unknown | otherwise | the last that ended before setting began | not known |
///
/// A frame that is exposed while the controls are being set is undecided unless the frames state their values. Stamps
/// count with their bounds. If no frame fulfils the rule in time, the evidence is `unknown`.
struct ChangeoverWatch: Hashable, Sendable {
    enum Rule: Hashable, Sendable {
        case unchanged
        case metadata([StatedChange])
        /// The delay, if it was measured, is used if the pictures do not show the step.
        case pixels(ExpectedStep, FrameDelay?)
        case status
        case calibrated(FrameDelay)
        case unknown
    }

    /// The frames after the acceptance within which frames must state the new values.
    static let frameLimit: UInt64 = 30
    /// The frames that a calibrated change is awaited beyond its greatest delay.
    static let calibratedMargin: UInt64 = 4
    /// The time that frames may be late in addition.
    static let patience = Duration.seconds(5)

    let rule: Rule
    /// When setting the controls began.
    let began: LocalTime
    /// When the camera had accepted them.
    let accepted: LocalTime
    /// After that, no value is on its way but by the delay of the camera: when it had accepted the values, or had focused.
    let done: LocalTime
    /// Time from frame to frame.
    let interval: Duration
    /// The longest exposure of a frame that does not state its own.
    let longestExposure: Duration
    /// Whether frames before had the values that the controls had. Otherwise an earlier change may have come into the
    /// pictures at any frame.
    let isOldKnown: Bool

    /// - Parameters:
    ///   - focused: When the driver had told that the camera had focused; nil if it has not focused, or is not known to have.
    ///   - newest: The newest frame, which shows whether frames state their values.
    ///   - hasPictures: Whether the brightness of frames can be measured.
    init(
        _ changes: [ControlChange], began: LocalTime, accepted: LocalTime, focused: LocalTime? = nil,
        interval: Duration, newest: FrameFacts?, isOldKnown: Bool, hasPictures: Bool = false
    ) {
        let changed = changes.filter(\.isChange)
        rule =
            if changed.isEmpty {
                isOldKnown ? .unchanged : .unknown
            } else if focused != nil, changed.allSatisfy(\.isFocusing) {
                .status
            } else if let stated = StatedChange.all(of: changed, in: newest) {
                .metadata(stated)
            } else if hasPictures, isOldKnown, let step = ExpectedStep(changed, interval: interval) {
                .pixels(step, changed.commonDelay)
            } else if let delay = changed.commonDelay {
                .calibrated(delay)
            } else {
                .unknown
            }
        (self.began, self.accepted, self.interval, self.isOldKnown) = (began, accepted, interval, isOldKnown)
        done = focused ?? accepted
        longestExposure = max(interval, StatedChange.exposures(of: changes).max() ?? .zero)
    }

    private var frameLimit: UInt64 {
        switch rule {
        case .calibrated(let delay): Self.limit(of: delay)
        case .pixels(_, let delay): max(Self.frameLimit, delay.map(Self.limit) ?? 0)
        case .unchanged, .metadata, .status, .unknown: Self.frameLimit
        }
    }

    private static func limit(of delay: FrameDelay) -> UInt64 { UInt64(delay.most) + calibratedMargin }

    /// When no more is learned from frames that are missing.
    var deadline: LocalTime { done + interval * Int(frameLimit) + Self.patience }

    /// Returns what is known of the change, as soon as it is final.
    /// - Parameters:
    ///   - frames: In order, beginning before the controls were set.
    ///   - pictures: The brightness of those that could be measured.
    func observed(
        in frames: [FrameFacts], pictures: PixelStep? = nil, at now: LocalTime
    ) -> ObservedChangeover? {
        if let found = found(in: frames, pictures) { return found }
        guard isOver(frames, now) else { return nil }
        if rule == .unchanged { return ObservedChangeover(evidence: .unchanged) }
        if case .pixels(_, let delay?) = rule, let found = calibrated(delay, frames) { return found }
        return unknown(frames)
    }

    private func unknown(_ frames: [FrameFacts]) -> ObservedChangeover {
        ObservedChangeover(evidence: .unknown, lastOld: lastBefore(frames))
    }

    private func isOver(_ frames: [FrameFacts], _ now: LocalTime) -> Bool {
        guard now < deadline else { return true }
        guard let first = firstAfter(frames), let newest = frames.last else { return false }
        return newest.sequence - first.sequence >= frameLimit
    }

    private func found(in frames: [FrameFacts], _ pictures: PixelStep?) -> ObservedChangeover? {
        switch rule {
        case .unchanged:
            return firstAfter(frames).map { ObservedChangeover(evidence: .unchanged, firstNew: $0) }
        case .status:
            return firstAfter(frames).map {
                ObservedChangeover(evidence: .status, lastOld: lastBefore(frames), firstNew: $0)
            }
        case .metadata(let changes): return stated(changes, frames)
        case .pixels(_, let delay): return seen(pictures, delay, frames)
        case .calibrated(let delay): return calibrated(delay, frames)
        case .unknown:
            guard frames.contains(where: { !isBefore($0) }) else { return nil }
            return unknown(frames)
        }
    }

    /// Whether a frame cannot have been exposed with the new values.
    func isBefore(_ frame: FrameFacts) -> Bool { frame.ended(before: began, longest: longestExposure) }

    private func seen(
        _ pictures: PixelStep?, _ delay: FrameDelay?, _ frames: [FrameFacts]
    ) -> ObservedChangeover? {
        guard let accepted = firstAfter(frames)?.sequence, let claim = pictures?.claim(accepted: accepted) else {
            return nil
        }
        if let delay {
            guard let known = calibrated(delay, frames) else { return nil }
            // A step at a time at which the camera does not act is something else.
            if let lastOld = known.lastOld, claim.firstNew.sequence <= lastOld.sequence { return unknown(frames) }
            if let firstNew = known.firstNew, claim.lastOld.sequence >= firstNew.sequence { return unknown(frames) }
        }
        return ObservedChangeover(evidence: .pixels, lastOld: claim.lastOld, firstNew: claim.firstNew)
    }

    private func stated(_ changes: [StatedChange], _ frames: [FrameFacts]) -> ObservedChangeover? {
        // Frames before cannot have values by this change, and may have those of a still earlier one.
        let start = frames.firstIndex { !isBefore($0) } ?? frames.endIndex
        guard let firstNew = frames[start...].first(where: { frame in changes.allSatisfy { $0.isNew(frame) } })
        else { return nil }
        let isOld = { (frame: FrameFacts) in changes.allSatisfy { $0.isOld(frame) } }
        let differing = frames[start...].firstIndex { !isOld($0) } ?? frames.endIndex
        let lastOld = frames[..<differing].last.flatMap { isOld($0) ? $0 : nil }
        return ObservedChangeover(evidence: .metadata, lastOld: lastOld, firstNew: firstNew)
    }

    private func calibrated(_ delay: FrameDelay, _ frames: [FrameFacts]) -> ObservedChangeover? {
        guard let first = firstAfter(frames),
            let firstNew = frames.first(where: { $0.sequence >= first.sequence + UInt64(delay.most) })
        else { return nil }
        var lastOld = lastBefore(frames)
        // The first frame after the acceptance comes after the last one that began before. It and the following ones
        // have the old value, as many as the least delay says.
        if isOldKnown, delay.fewest > 0,
            let before = frames.last(where: { $0.began(before: began, longest: longestExposure) })
        {
            lastOld = frames.last { $0.sequence <= before.sequence + UInt64(delay.fewest) }
        }
        return ObservedChangeover(evidence: .calibrated, lastOld: lastOld, firstNew: firstNew)
    }

    private func lastBefore(_ frames: [FrameFacts]) -> FrameFacts? {
        isOldKnown ? frames.last(where: isBefore) : nil
    }

    private func firstAfter(_ frames: [FrameFacts]) -> FrameFacts? {
        frames.first { $0.began(after: done, longest: longestExposure) }
    }
}

/// A value that changes and that frames state.
enum StatedChange: Hashable, Sendable {
    case exposure(from: Duration, to: Duration)
    case gain(from: Int64, to: Int64)

    /// Controls of exposure times in steps of ``CaptureControls/exposureUnit``.
    private static let exposures: Set = [CaptureControls.exposure, "exposure_absolute"]

    /// Returns the stated values of all changes; nil unless frames state each, and its old and new value differ by more
    /// than the frames' inaccuracy.
    ///
    /// A mode that changes is stated by no frame: an automatic exposure may be that of the control before, or the new one.
    static func all(of changes: [ControlChange], in frame: FrameFacts?) -> [StatedChange]? {
        guard let frame else { return nil }
        var stated: [StatedChange] = []
        for change in changes {
            guard let value = StatedChange(change, in: frame) else { return nil }
            stated.append(value)
        }
        return stated
    }

    /// Returns the exposure times, old and new, of the changes that are some.
    static func exposures(of changes: [ControlChange]) -> [Duration] {
        changes.filter { exposures.contains($0.control) }.flatMap { [$0.old, $0.new] }.compactMap { $0.map(exposure) }
    }

    /// Whether a control is an exposure time of a known unit.
    static func isExposure(_ control: String) -> Bool { exposures.contains(control) }

    private static func exposure(_ value: Int64) -> Duration {
        let (product, overflow) = value.multipliedReportingOverflow(by: CaptureControls.exposureUnit)
        return .nanoseconds(overflow ? .max : product)
    }

    private init?(_ change: ControlChange, in frame: FrameFacts) {
        guard let old = change.old else { return nil }
        switch change.control {
        case CaptureControls.gain where frame.gain != nil: self = .gain(from: old, to: change.new)
        case let name where Self.exposures.contains(name) && frame.exposure != nil:
            let (before, after) = (Self.exposure(old), Self.exposure(change.new))
            guard (after - before).magnitude > AppliedSetting.tolerance(before) + AppliedSetting.tolerance(after)
            else { return nil }
            self = .exposure(from: before, to: after)
        default: return nil
        }
    }

    func isOld(_ frame: FrameFacts) -> Bool {
        switch self {
        case .exposure(let old, _): Self.matches(frame.exposure, old)
        case .gain(let old, _): frame.gain == old
        }
    }

    func isNew(_ frame: FrameFacts) -> Bool {
        switch self {
        case .exposure(_, let new): Self.matches(frame.exposure, new)
        case .gain(_, let new): frame.gain == new
        }
    }

    private static func matches(_ stated: Duration?, _ exposure: Duration) -> Bool {
        stated.map { ($0 - exposure).magnitude <= AppliedSetting.tolerance(exposure) } ?? false
    }
}
