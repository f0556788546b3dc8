internal import CameraSettings
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import SystemClock

/// What the matching of cameras asks of a rig.
protocol MatchingRig: Sendable {
    func knobs(of device: DeviceID) async throws -> MatchKnobs
    func measure(_ device: DeviceID, _ request: MeasureRequest) async throws -> PictureMeasurement
    /// Sets entries of a request for settings.
    func set(_ device: DeviceID, _ entries: [String]) async throws -> AppliedKnobs
}

/// What a camera has after its knobs were set.
struct AppliedKnobs: Sendable, Equatable {
    /// The driver's values, by setting or `driver.NAME`.
    var values: [String: Int64]
    /// Whether it is known from which frame on the pictures have them, and that frame has arrived.
    var isInPictures: Bool
}

/// Runs the matching of several cameras, each in a task of its own: measures, sets, measures.
struct MatchRunner: Sendable {
    /// Frames to let pass if it is not known when the pictures have the values; drivers are up to 6 frames late.
    static let unknownDelay = 12
    /// Cameras that are matched at a time; fewer than the transactions that a rig has in progress.
    static let widthLimit = 12

    var rig: any MatchingRig
    var region: PictureRegion
    var frames: Int
    var wantsPictures: Bool
    var clock: any TimeSource = SystemTimeSource()

    func request(skip: Int = 0) -> MeasureRequest {
        MeasureRequest(region: region, frames: frames, skip: skip, wantsPicture: wantsPictures)
    }

    /// Calls `body` for each device, for a few at a time.
    func each<Value: Sendable>(
        _ devices: [DeviceID], _ body: @escaping @Sendable (DeviceID) async -> Value
    ) async -> [DeviceID: Value] {
        await withTaskGroup(of: (DeviceID, Value).self) { group in
            var rest = devices[...]
            var results: [DeviceID: Value] = [:]
            for device in rest.prefix(Self.widthLimit) { group.addTask { (device, await body(device)) } }
            rest = rest.dropFirst(Self.widthLimit)
            while let (device, value) = await group.next() {
                results[device] = value
                if let next = rest.popFirst() { group.addTask { (next, await body(next)) } }
            }
            return results
        }
    }

    /// Matches one camera to a color.
    /// - Parameter first: The measurement before; nil: it is made.
    func match(
        _ device: DeviceID, to target: ColourMean, tolerance: Double, from first: PictureMeasurement? = nil
    ) async -> MatchResult {
        var machine: MatchMachine
        do {
            machine = MatchMachine(target: target, tolerance: tolerance, knobs: try await rig.knobs(of: device))
        } catch {
            return MatchResult(device: device, outcome: .refused("\(error)"))
        }
        var action = first.map { machine.measured($0) } ?? .measure
        var skip = 0
        while true {
            do {
                switch action {
                case .measure:
                    action = machine.measured(try await rig.measure(device, request(skip: skip)))
                case .set(let entries):
                    let applied = try await rig.set(device, entries)
                    skip = applied.isInPictures ? 1 : Self.unknownDelay
                    action = machine.isSet(applied.values)
                case .end:
                    return MatchResult(device, machine)
                }
            } catch {
                action = machine.failed("\(error)")
            }
        }
    }

    /// Waits until a camera is steady, switches it to manual, and corrects what that has changed.
    func lock(_ device: DeviceID, tolerance: Double, within timeout: Duration) async -> MatchResult {
        var watch = SteadyWatch()
        let begin = clock.now()
        do {
            while !watch.add(try await rig.measure(device, request())) {
                guard clock.now() - begin < timeout else {
                    let difference = watch.difference.map(MatchMachine.percent) ?? "an unknown part"
                    var match = MatchResult(
                        device: device,
                        outcome: .refused(
                            "it was still adjusting after \(timeout.shortText): its last two measurements differ by \(difference); nothing was set"
                        ))
                    (match.isSteady, match.steadyAfter, match.before) = (false, clock.now() - begin, watch.newest)
                    return match
                }
            }
        } catch {
            return MatchResult(device: device, outcome: .refused("\(error)"))
        }
        let waited = clock.now() - begin
        guard let steady = watch.newest else {
            return MatchResult(device: device, outcome: .refused("nothing was measured"))
        }
        var match = await match(device, to: steady.linear, tolerance: tolerance, from: steady)
        (match.isSteady, match.steadyAfter) = (true, waited)
        return match
    }
}

/// What has become of the matching of one camera.
struct MatchResult: Sendable {
    var device: DeviceID
    var outcome: MatchMachine.Outcome
    var before: PictureMeasurement?
    var after: PictureMeasurement?
    /// The target, in linear light.
    var target: ColourMean?
    var iterations = 0
    /// The entries that were set last.
    var settings: [String] = []
    /// Of a lock: whether the pictures were steady, and after what time that was known.
    var isSteady: Bool?
    var steadyAfter: Duration?

    init(device: DeviceID, outcome: MatchMachine.Outcome) {
        self.device = device
        self.outcome = outcome
    }

    init(_ device: DeviceID, _ machine: MatchMachine) {
        self.init(device: device, outcome: machine.outcome ?? .notConverged("the matching has no outcome"))
        (before, after) = (machine.before, machine.after)
        (target, iterations) = (machine.target, machine.iterations)
        settings = iterations == 0 ? [] : machine.knobs.settings
    }

    var isMatched: Bool { outcome == .matched }

    /// The deviations of red, green and blue from the target, as parts of it.
    func residual(of measurement: PictureMeasurement?) -> [Double]? {
        guard let measurement, let target else { return nil }
        return MatchMachine.deviations(of: measurement.linear, from: target)
    }
}

/// A rig behind a client.
struct ConnectedMatchingRig: MatchingRig {
    let client: RigClient
    let intervals: [DeviceID: Duration]

    func knobs(of device: DeviceID) async throws -> MatchKnobs {
        let details = try await client.describe(device)
        if let obstacle = details.obstacle { throw obstacle }
        return MatchKnobs(details.capabilities?.controls ?? [], frameInterval: details.condition.format?.frameInterval)
    }

    func measure(_ device: DeviceID, _ request: MeasureRequest) async throws -> PictureMeasurement {
        let interval = intervals[device] ?? .milliseconds(200)
        // Frames are left out while the node is busy.
        let timeout = min(.seconds(10) + interval * (3 * request.frames + request.skip), .seconds(300))
        return try await client.measure(device, request, timeout: timeout)
    }

    func set(_ device: DeviceID, _ entries: [String]) async throws -> AppliedKnobs {
        let report = try await client.apply(
            SettingsRequest(
                id: .fresh(at: SystemTimeSource()), selection: Selection(devices: [device]),
                settings: try CaptureSettings(parsing: entries)))
        guard let camera = report.cameras.first else {
            throw CaptureProblem(.unknownDevice, "\(device) was not in the answer")
        }
        guard let effect = camera.outcome.effect else {
            let refused = camera.entries.refusals.map { "\($0)" }
            throw CaptureProblem(
                camera.outcome.problem?.code ?? .unsupportedSettings,
                ([camera.outcome.problem?.message].compactMap(\.self) + refused).joined(separator: "; "))
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
