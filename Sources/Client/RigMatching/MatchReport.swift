public import CameraSettings
public import CaptureModel

/// What has become of matching or locking cameras, or is known of it so far.
public struct MatchReport: Sendable {
    public var isLock: Bool
    public var tolerance: Double
    public var region: PictureRegion
    /// In linear light; nil for a lock, in which each camera has its own, and until the reference is measured.
    public var target: ColorMean?
    public var reference: MatchResult?
    /// Why the reference cannot be one; then no other camera was set.
    public var referenceProblem: String?
    /// The reference, measured again at the end: whether the light has changed since the start.
    public var referenceAfter: PictureMeasurement?
    public var cameras: [MatchResult]

    public init(_ request: MatchRequest, cameras: [MatchResult] = []) {
        (isLock, tolerance, region) = (request.isLock, request.tolerance, request.region)
        self.cameras = cameras
    }

    /// The results of all cameras that were measured, the reference first.
    public var all: [MatchResult] { [reference].compactMap(\.self) + cameras.filter { $0.device != reference?.device } }

    /// How many cameras are matched or locked, apart from the reference.
    public var matchedCount: Int { cameras.count(where: \.isMatched) }

    /// How much the light at the reference has changed.
    public var lightChange: Double? {
        guard let referenceAfter, let before = reference?.after else { return nil }
        return MatchMachine.deviations(of: referenceAfter.linear, from: before.linear).max { abs($0) < abs($1) }
    }

    mutating func note(_ result: MatchResult) {
        guard let index = cameras.firstIndex(where: { $0.device == result.device }) else { return }
        cameras[index] = result
    }
}

/// What has become of one camera.
public struct MatchResult: Sendable {
    public var device: DeviceID
    /// nil while it is under way.
    public var outcome: MatchMachine.Outcome?
    public var before: PictureMeasurement?
    public var after: PictureMeasurement?
    /// The target, in linear light.
    public var target: ColorMean?
    /// How often it was set.
    public var iterations = 0
    /// The entries that were set last.
    public var settings: [String] = []
    /// Of a lock: whether the pictures were steady, and after what time that was known.
    public var isSteady: Bool?
    public var steadyAfter: Duration?

    /// - Parameter outcome: nil while it is under way.
    public init(device: DeviceID, outcome: MatchMachine.Outcome?) {
        self.device = device
        self.outcome = outcome
    }

    init(_ device: DeviceID, _ machine: MatchMachine) {
        self.init(device: device, outcome: machine.outcome)
        (before, after) = (machine.before, machine.after)
        (target, iterations) = (machine.target, machine.iterations)
        settings = iterations == 0 ? [] : machine.knobs.settings
    }

    public var isMatched: Bool { outcome == .matched }

    /// `matched`, `locked`, `notConverged`, `notSteady`, `refused`, or `underWay`.
    public var word: String {
        switch outcome {
        case nil: "underWay"
        case .matched: isSteady == nil ? "matched" : "locked"
        case .notConverged: "notConverged"
        case .refused: isSteady == false ? "notSteady" : "refused"
        }
    }

    /// Why it is not matched or locked.
    public var reason: String? {
        switch outcome {
        case nil, .matched: nil
        case .notConverged(let reason), .refused(let reason): reason
        }
    }

    /// The deviations of red, green and blue from the target, as parts of it.
    public func residual(of measurement: PictureMeasurement?) -> [Double]? {
        guard let measurement, let target else { return nil }
        return MatchMachine.deviations(of: measurement.linear, from: target)
    }
}
