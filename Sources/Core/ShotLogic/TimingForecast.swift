public import CaptureModel

/// What is known before T of how a camera will keep the limits of a shot. Pure.
public struct TimingForecast: Hashable, Sendable {
    public var device: DeviceID
    /// The nearest frame that is expected minus T; nil if the phase of the camera is not known.
    public var skew: Duration?
    /// By how much `skew` may be wrong.
    var error = TriggerPlanner.predictionError
    /// The bound of its newest frame, or else that of its node's clock, which is a part of it; nil if neither is known.
    public var bound: Duration?
    /// The bound of its node's clock.
    public var clockBound: Duration?

    /// - Parameter time: T.
    public init(_ device: DeviceID, _ camera: PlannedCamera, at time: RigTime) {
        self.device = device
        let phase = camera.phase(near: time)
        skew = phase.map { $0.frame(nearest: time) - time }
        error += phase?.drift(at: time) ?? .zero
        bound = phase?.bound ?? camera.clockBound
        clockBound = camera.clockBound
    }

    /// Why a shot is refused before anything is exposed; nil if it is taken. A camera of which nothing is known is not one.
    public static func objection(_ forecasts: [TimingForecast], _ limits: TimingLimits?) -> RigProblem? {
        guard let limits, limits.onExcess == .refuse else { return nil }
        let reasons = forecasts.compactMap { $0.reason(limits) }
        guard !reasons.isEmpty else { return nil }
        let shown = reasons.prefix(longestList).joined(separator: "; ")
        let rest = reasons.count > longestList ? "; and \(reasons.count - longestList) further cameras" : ""
        return RigProblem(
            .limitsExceeded,
            "the shot is refused before anything is exposed, since it would exceed its limits. \(shown)\(rest). Raise the limit, or have such pictures taken and marked (onExcess \"mark\")"
        )
    }

    /// The cameras that a refusal names.
    private static let longestList = 8

    /// What is known to exceed a limit, and what helps.
    private func reason(_ limits: TimingLimits) -> String? {
        // Only more than what a prediction may be wrong by is known to be too much.
        let certain = skew.map { max(.zero, $0.magnitude - error) }
        let parts = limits.exceeded(skew: certain, bound: bound).map { limit in
            switch limit {
            case .maxSkew:
                "its nearest frame is expected \(Self.text(skew)) from T, and at most \(Self.text(limits.maxSkew)) is allowed; other instants suit it better, or a camera with more frames per second"
            case .maxBound:
                "its bound is \(Self.text(bound)), and at most \(Self.text(limits.maxBound)) is allowed; \(remedy(limits))"
            }
        }
        return parts.isEmpty ? nil : "\(device): " + parts.joined(separator: ", and ")
    }

    private func remedy(_ limits: TimingLimits) -> String {
        if let clockBound, let maxBound = limits.maxBound, clockBound > maxBound {
            return
                "that of its node's clock alone is \(Self.text(clockBound)): `capctl sync status`, and a quicker network to '\(device.node)'"
        }
        return "measure the camera's latency: `capctl sync calibrate --device \(device)`"
    }

    private static func text(_ duration: Duration?) -> String {
        let nanoseconds = (duration ?? .zero).nanoseconds.magnitude
        return nanoseconds < 10_000_000 ? "\(nanoseconds / 1000) µs" : "\(nanoseconds / 1_000_000) ms"
    }
}
