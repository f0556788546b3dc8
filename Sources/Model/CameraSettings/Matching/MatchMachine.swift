public import CaptureModel
import Glibc

/// Matches the pictures of one camera to a color in few iterations: measures, sets, measures. A value without a clock and
/// a camera.
///
/// | state | event | next state | what to do |
/// |---|---|---|---|
/// | before | measured: clipped | refused | – |
/// | before | measured: within the aim, and nothing automatic | matched | – |
/// | before | measured: nothing can be set | not converged | – |
/// | before | measured, something is automatic | setting | switch to manual, with the reported values |
/// | before | measured, otherwise | setting | set the values computed from it |
/// | setting | set | measuring | measure |
/// | setting | refused | not converged, or refused if nothing was set before | – |
/// | setting | failed | not converged, since the values may be set | – |
/// | measuring | clipped | not converged | – |
/// | measuring | within the aim | matched | – |
/// | measuring | no value comes nearer, or this was the last iteration | matched if within the tolerance, else not converged | – |
/// | measuring | otherwise | setting | set the values computed from it |
/// | any | failed | not converged, or refused if nothing was set | – |
///
/// The aim is half the tolerance, so that another scene is within it. Light is compared in proportion, as
/// ``PictureMeasurement/linear`` has it.
public struct MatchMachine: Sendable {
    public static let iterationLimit = 5
    /// The part of a target's pixels that may be clipped.
    public static let clippedLimit = 0.01
    /// The least light of a target, below which proportions mean nothing.
    private static let leastLight = 0.002

    public enum Action: Hashable, Sendable {
        case measure
        /// Entries of a request for settings.
        case set([String])
        case end
    }

    public enum Outcome: Hashable, Sendable {
        case matched
        /// Why it is not within the tolerance.
        case notConverged(String)
        /// Why nothing was set.
        case refused(String)
    }

    private enum State: Hashable, Sendable {
        case before, setting, measuring
        case ended(Outcome)
    }

    public let target: ColorMean
    public let tolerance: Double
    /// What was measured at first.
    public private(set) var before: PictureMeasurement?
    /// What was measured last.
    public private(set) var after: PictureMeasurement?
    /// How often something was set.
    public private(set) var iterations = 0
    public private(set) var knobs: MatchKnobs
    private var state = State.before
    private var last: (knobs: [MatchKnob], light: [Double])?

    /// - Parameters:
    ///   - target: The linear light to be reached.
    ///   - tolerance: The largest deviation of red, green and blue, such as 0.03.
    public init(target: ColorMean, tolerance: Double, knobs: MatchKnobs) {
        self.target = target
        self.tolerance = tolerance
        self.knobs = knobs
    }

    public var outcome: Outcome? {
        if case .ended(let outcome) = state { outcome } else { nil }
    }

    /// The deviations of red, green and blue from the target that were measured last, as parts of it; nil if none was.
    public var residual: [Double]? { after.map { Self.deviations(of: $0.linear, from: target) } }

    /// The largest of them.
    public var worstResidual: Double? { residual?.map(abs).max() }

    public static func deviations(of light: ColorMean, from target: ColorMean) -> [Double] {
        zip(light.channels, target.channels).map { $0 / max($1, 1e-9) - 1 }
    }

    /// Why a color cannot be a target; nil if it can.
    public static func flaw(of measured: PictureMeasurement) -> String? {
        if measured.clippedHigh > clippedLimit {
            return "\(percent(measured.clippedHigh)) of the target are clipped; use less exposure, or a darker target"
        }
        if measured.clippedLow > clippedLimit || (measured.linear.channels.min() ?? 0) < leastLight {
            return "the target is too dark to be measured; use more exposure, or a brighter target"
        }
        return nil
    }

    /// Notes a measurement.
    public mutating func measured(_ measurement: PictureMeasurement) -> Action {
        switch state {
        case .before:
            before = measurement
            after = measurement
            if let flaw = Self.flaw(of: measurement) { return end(.refused(flaw)) }
            if measurement.linearization == .raw { knobs.keepLightOnly() }
            guard !knobs.knobs.isEmpty else {
                return end(.refused("the camera has no control of exposure, gain or color"))
            }
            guard !knobs.isAutomatic else { return set() }
            return proceed(measurement)
        case .measuring:
            after = measurement
            if let flaw = Self.flaw(of: measurement) { return end(.notConverged(flaw)) }
            return proceed(measurement)
        case .setting, .ended: return .end
        }
    }

    /// Notes that the values are set.
    /// - Parameter values: Read back, by setting or `driver.NAME`; they may be rounded.
    public mutating func isSet(_ values: [String: Int64] = [:]) -> Action {
        guard state == .setting else { return .end }
        for (index, knob) in knobs.knobs.enumerated() {
            if let value = values[knob.name] { knobs.knobs[index].value = value }
        }
        state = .measuring
        return .measure
    }

    /// Notes that the values were refused, so that the camera has those of before.
    public mutating func refused(_ reason: String) -> Action {
        guard state == .setting else { return .end }
        iterations -= 1
        if let last { knobs.knobs = last.knobs }
        return failed(reason)
    }

    /// Notes that the camera could not be measured, or that setting it has failed, after which it may have the values.
    public mutating func failed(_ reason: String) -> Action {
        end(iterations == 0 ? .refused(reason) : .notConverged(reason))
    }

    private mutating func proceed(_ measurement: PictureMeasurement) -> Action {
        let light = measurement.linear.channels.map { log(max($0, 1e-9)) }
        if let last { knobs.learn(from: last.knobs, zip(light, last.light).map { $0 - $1 }) }
        let deviation = worstResidual ?? .infinity
        if deviation <= tolerance / 2 { return end(.matched) }
        guard iterations < Self.iterationLimit else { return conclude(deviation, "after \(iterations) iterations") }
        last = (knobs.knobs, light)
        let wanted = zip(target.channels, light).map { log(max($0, 1e-9)) - $1 }
        guard knobs.turn(wanted) else { return conclude(deviation, "with the nearest values that the camera has") }
        return set()
    }

    private mutating func conclude(_ deviation: Double, _ when: String) -> Action {
        guard deviation > tolerance else { return end(.matched) }
        let raw = after?.linearization == .raw ? "; white balance does not change a sensor's samples" : ""
        let idle = knobs.knobs.filter(\.isWithoutEffect).map(\.name)
        let dead = idle.isEmpty ? "" : "; without effect on the pictures: \(idle.joined(separator: ", "))"
        return end(.notConverged("\(Self.percent(deviation)) remain \(when)\(raw)\(dead)"))
    }

    private mutating func set() -> Action {
        iterations += 1
        state = .setting
        return .set(knobs.settings)
    }

    private mutating func end(_ outcome: Outcome) -> Action {
        state = .ended(outcome)
        return .end
    }

    /// Returns a part as people write it.
    public static func percent(_ part: Double) -> String {
        let tenths = (min(max(part, -1e6), 1e6) * 1000).rounded()
        return "\(tenths / 10) %"
    }
}
