public import CameraSettings
public import CaptureModel
public import RigClient
internal import SystemClock

/// What the matching of cameras asks of a rig.
public protocol MatchingRig: Sendable {
    func knobs(of device: DeviceID) async throws -> MatchKnobs
    /// Returns when the frames have arrived, or fails when the task is cancelled.
    func measure(_ device: DeviceID, _ request: MeasureRequest) async throws -> PictureMeasurement
    /// Sets entries of a request for settings. Goes on if the task is cancelled, so that what has become of the camera is known.
    /// - Throws: ``KnobsRefused`` if the camera has the values of before; other errors if it may have the new ones.
    func set(_ device: DeviceID, _ entries: [String]) async throws -> AppliedKnobs
}

/// What a camera has after its knobs were set.
public struct AppliedKnobs: Sendable, Equatable {
    /// The driver's values, by setting or `driver.NAME`.
    public var values: [String: Int64]
    /// Whether it is known from which frame on the pictures have them, and that frame has arrived.
    public var isInPictures: Bool

    public init(values: [String: Int64], isInPictures: Bool) {
        (self.values, self.isInPictures) = (values, isInPictures)
    }
}

/// A rig behind a client.
///
/// Cameras are measured in the client's own name, which may view: whoever may configure them need not. They are set in the name of
/// `RigClient.session`.
public struct ConnectedMatchingRig: MatchingRig {
    private let client: RigClient
    /// How long each camera takes from frame to frame; a camera that does not stream has none.
    private let intervals: [DeviceID: Duration]
    private let run: SettingsRunID
    private let mayBeSet: @Sendable (SettingsID) -> Void

    /// - Parameters:
    ///   - run: What all transactions are part of, so that they are undone as one.
    ///   - mayBeSet: Called with each transaction that may have set a camera.
    public init(
        client: RigClient, devices: [DeviceStatus], run: SettingsRunID,
        mayBeSet: @escaping @Sendable (SettingsID) -> Void = { _ in }
    ) {
        self.client = client
        self.run = run
        self.mayBeSet = mayBeSet
        let known = devices.compactMap { status in
            status.condition.format.map { (status.device.id, $0.frameInterval) }
        }
        intervals = Dictionary(known, uniquingKeysWith: { first, _ in first })
    }

    public func knobs(of device: DeviceID) async throws -> MatchKnobs {
        let details = try await RigClient.$session.withValue(nil) { try await client.describe(device) }
        if let obstacle = details.obstacle { throw obstacle }
        return MatchKnobs(details.capabilities?.controls ?? [], frameInterval: details.condition.format?.frameInterval)
    }

    public func measure(_ device: DeviceID, _ request: MeasureRequest) async throws -> PictureMeasurement {
        let interval = intervals[device] ?? .milliseconds(200)
        // Frames are left out while the node is busy.
        let timeout = min(.seconds(10) + interval * (3 * request.frames + request.skip), .seconds(300))
        return try await RigClient.$session.withValue(nil) {
            try await client.measure(device, request, timeout: timeout)
        }
    }

    public func set(_ device: DeviceID, _ entries: [String]) async throws -> AppliedKnobs {
        let request = SettingsRequest(
            id: .fresh(at: SystemTimeSource()), selection: Selection(devices: [device]),
            settings: try CaptureSettings(parsing: entries), run: run)
        // Unstructured, so that it goes on in a task that is cancelled: the rig does not give up a transaction either.
        let transaction = Task { [client] in try await client.apply(request) }
        let report: SettingsReport
        do {
            report = try await transaction.value
        } catch {
            mayBeSet(request.id)
            throw error
        }
        guard let camera = report.cameras.first else {
            throw RigProblem(.unknownDevice, "\(device) was not in the answer")
        }
        if ![.refused, .undone].contains(camera.outcome.word) { mayBeSet(request.id) }
        guard let effect = camera.outcome.effect else {
            let refused = camera.entries.refusals.map { "\($0)" }
            let problem = RigProblem(
                camera.outcome.problem?.code ?? .unsupportedSettings,
                ([camera.outcome.problem?.message].compactMap(\.self) + refused).joined(separator: "; "))
            switch camera.outcome.word {
            case .refused, .undone: throw KnobsRefused(problem)
            case .set, .rounded, .deferred, .failed, .lost: throw problem
            }
        }
        return AppliedKnobs(values: Self.values(entries, effect), isInPictures: effect.change.firstNew != nil)
    }

    /// The values that were read back, under the names of the entries.
    private static func values(_ entries: [String], _ effect: SettingsEffect) -> [String: Int64] {
        let controls = [
            "exposureDuration": ["exposure_time_absolute", "exposure_absolute", "exposure"],
            "gain": ["gain", "analogue_gain"], "whiteBalanceTemperature": ["white_balance_temperature"],
        ]
        var values: [String: Int64] = [:]
        for entry in entries {
            guard let name = entry.split(separator: "=").first.map(String.init) else { continue }
            let names = controls[name] ?? [name.replacing("driver.", with: "")]
            values[name] = names.lazy.compactMap { effect.controls[$0] }.first
        }
        return values
    }
}
