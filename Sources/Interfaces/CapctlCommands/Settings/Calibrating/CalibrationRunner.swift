internal import CameraSettings
internal import CaptureModel
internal import RigClient
internal import SystemClock

/// What has become of the calibration of one camera.
struct CameraCalibration: Sendable {
    struct Control: Sendable {
        var name: String
        var samples = 0
        var delay: ControlDelay?
        var problem: String?
    }

    var device: DeviceID
    var controls: [Control] = []
    var file: String?
    var problem: String?
}

/// Measures the delays of cameras, a few at a time: steps each control until enough steps were seen, puts its value back,
/// and has the node keep the result. In a task that is cancelled, it puts values back and steps no more.
struct CalibrationRunner: Sendable {
    /// How often a control is set in all, and without success before a smaller step is tried.
    static let attempts = 60
    static let patience = 2
    /// Frames between two steps, so that the node has frames of the value before; and after one that was not seen, which may
    /// still come.
    static let pause = 12
    static let longPause = ControlDelay.limit
    static let widthLimit = 12

    var rig: any CalibrationRig
    /// Called when a step was seen, and when a camera has ended, on any thread. It must return soon.
    var tell: @Sendable (CalibrationEvent) -> Void = { _ in }
    var clock: any TimeSource = SystemTimeSource()

    func calibrate(_ devices: [DeviceID], _ names: [String]) async -> [CameraCalibration] {
        let found = await withTaskGroup(of: CameraCalibration.self) { group in
            var rest = devices[...]
            var results: [DeviceID: CameraCalibration] = [:]
            for device in rest.prefix(Self.widthLimit) { group.addTask { await calibrate(device, names) } }
            rest = rest.dropFirst(Self.widthLimit)
            while let result = await group.next() {
                results[result.device] = result
                tell(.ended(result.device))
                if let next = rest.popFirst() { group.addTask { await calibrate(next, names) } }
            }
            return results
        }
        return devices.compactMap { found[$0] }
    }

    private func calibrate(_ device: DeviceID, _ names: [String]) async -> CameraCalibration {
        var result = CameraCalibration(device: device)
        do {
            let (controls, interval, format) = try await rig.controls(of: device)
            for name in names {
                try Task.checkCancellation()
                guard let control = controls.first(where: { $0.name == name }) else { continue }
                guard let steps = CalibrationSteps(control, frameInterval: interval) else {
                    result.controls.append(
                        .init(
                            name: name,
                            problem: "it cannot be stepped: an automatic mode controls it, or it has no other value"))
                    continue
                }
                result.controls.append(try await measure(device, steps, interval ?? .zero))
            }
            let delays = result.controls.compactMap(\.delay)
            guard !delays.isEmpty else {
                if result.controls.isEmpty { result.problem = "it has no control whose steps pictures show" }
                return result
            }
            // The node keeps delays for the format that it finds.
            let present = try await rig.controls(of: device).format
            guard present == format else {
                result.problem =
                    "its format was changed during the measurement, from \(format ?? "none") to \(present ?? "none"), so that the delays are those of neither and are not kept: measure again"
                return result
            }
            result.file = try await rig.keep(device, delays)
        } catch {
            result.problem = Self.reason(error)
        }
        return result
    }

    /// - Throws: If the value cannot be put back.
    private func measure(_ device: DeviceID, _ steps: CalibrationSteps, _ interval: Duration) async throws
        -> CameraCalibration.Control
    {
        var control = CameraCalibration.Control(name: steps.control)
        var samples = DelaySamples()
        var others = steps.others[...]
        var (misses, isAway) = (0, false)
        tell(.steps(device, steps.control, seen: 0))
        do {
            for _ in 0..<Self.attempts {
                guard !samples.isComplete, let other = others.first else { break }
                try Task.checkCancellation()
                let goesAway = !isAway
                // One that fails may have been set.
                isAway = true
                let effect = try await rig.set(device, steps.control, goesAway ? other : steps.present)
                isAway = goesAway
                let isSeen = samples.add(effect)
                misses = isSeen ? 0 : misses + 1
                if isSeen { tell(.steps(device, steps.control, seen: samples.count)) }
                try await clock.sleep(until: clock.now() + interval * (isSeen ? Self.pause : Self.longPause))
                if misses > Self.patience, !isAway {
                    others = others.dropFirst()
                    misses = 0
                }
            }
        } catch {
            control.problem = Self.reason(error)
        }
        if isAway { _ = try await rig.set(device, steps.control, steps.present) }
        control.samples = samples.count
        if samples.isComplete {
            control.delay = samples.delay(of: steps.control)
        } else if control.problem == nil {
            let light =
                "\(samples.count) of \(DelaySamples.needed) steps were seen: light the scene steadily and evenly, so that it is neither dark nor white"
            // The node looks for steps where the delays that it knows say.
            control.problem =
                samples.count > 0
                ? light
                : "\(light); if the node has a file of delays of this model that contradicts the camera, delete it there and restart the agent"
        }
        return control
    }
}

extension CalibrationRunner {
    private static func reason(_ error: any Error) -> String {
        error is CancellationError ? "it was interrupted, and its value was put back" : "\(error)"
    }
}

/// A rig behind a client.
struct ConnectedCalibrationRig: CalibrationRig {
    let client: RigClient
    /// The values are put back at the end, so that an undo of all transactions together changes nothing.
    private let run = SettingsRunID.fresh(at: SystemTimeSource())

    init(client: RigClient) { self.client = client }

    func controls(of device: DeviceID) async throws -> (
        controls: [DeviceControl], interval: Duration?, format: String?
    ) {
        let details = try await client.describe(device)
        if let obstacle = details.obstacle { throw obstacle }
        let format = details.condition.format
        return (details.capabilities?.controls ?? [], format?.frameInterval, format?.description)
    }

    func set(_ device: DeviceID, _ control: String, _ value: Int64) async throws -> SettingsEffect {
        let request = SettingsRequest(
            id: .fresh(at: SystemTimeSource()), selection: Selection(devices: [device]),
            settings: try CaptureSettings(parsing: ["driver.\(control)=\(value)"]), run: run)
        // Unstructured, so that it goes on in a task that is cancelled: the rig does not give up a transaction either.
        let transaction = Task { [client] in try await client.apply(request) }
        guard let camera = try await transaction.value.cameras.first else {
            throw RigProblem(.unknownDevice, "\(device) was not in the answer")
        }
        guard let effect = camera.outcome.effect else {
            let refused = camera.entries.refusals.map { "\($0)" }
            throw RigProblem(
                camera.outcome.problem?.code ?? .unsupportedSettings,
                ([camera.outcome.problem?.message].compactMap(\.self) + refused).joined(separator: "; "))
        }
        return effect
    }

    func keep(_ device: DeviceID, _ delays: [ControlDelay]) async throws -> String {
        try await client.keepDelays(of: device, delays)
    }
}
