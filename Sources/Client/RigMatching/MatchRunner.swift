internal import CameraSettings
public import CaptureModel
public import SystemClock

internal import class PosixSupport.Locked

/// Runs the matching of several cameras, each in a task of its own: measures, sets, measures.
///
/// A run whose task is cancelled ends soon, with an outcome for every camera: what is being set is waited for, and nothing more is set.
public struct MatchRunner: Sendable {
    /// Frames to let pass if it is not known when the pictures have the values; drivers are up to 6 frames late.
    static let unknownDelay = 12
    /// Cameras that are matched at a time by all runs of a program; fewer than the transactions that a rig has in progress.
    public static let widthLimit = 12
    /// How long a reference may take until its pictures are steady.
    private static let referenceLimit = Duration.seconds(30)

    /// What is told of one camera while it is under way.
    typealias Progress = @Sendable (MatchResult) -> Void

    let rig: any MatchingRig
    let request: MatchRequest
    let width: Int
    let clock: any TimeSource

    /// - Parameter width: How many cameras are matched at a time, at most ``widthLimit``.
    public init(
        _ request: MatchRequest, on rig: any MatchingRig, width: Int = MatchRunner.widthLimit,
        clock: any TimeSource = SystemTimeSource()
    ) {
        self.request = request
        self.rig = rig
        self.width = min(max(width, 1), Self.widthLimit)
        self.clock = clock
    }

    /// Matches or locks cameras.
    /// - Parameters:
    ///   - devices: The selected cameras. The reference need not be among them.
    ///   - changed: Called with what is known so far, each time that it changes, in order and on any thread. It must return soon.
    public func run(
        _ devices: [DeviceID], changed: @escaping @Sendable (MatchReport) -> Void = { _ in }
    ) async -> MatchReport {
        let others = request.matched(of: devices)
        let board = Locked(MatchReport(request, cameras: others.map { MatchResult(device: $0, outcome: nil) }))
        let change: @Sendable ((inout MatchReport) -> Void) -> Void = { body in
            board.withLock { report in
                body(&report)
                changed(report)
            }
        }
        let note: Progress = { result in change { $0.note(result) } }
        change { _ in }
        switch request.goal {
        case .locked(let timeout):
            await each(others) { note(await lock($0, within: timeout, note)) }
        case .card(let card):
            change { $0.target = card }
            await each(others) { note(await match($0, to: card, note)) }
        case .reference(let reference, let card):
            change { $0.reference = MatchResult(device: reference, outcome: nil) }
            let locked = await lock(reference, within: Self.referenceLimit) { result in change { $0.reference = result }
            }
            change { $0.reference = locked }
            if let problem = Self.problem(of: locked) {
                change { report in
                    report.referenceProblem = problem
                    for index in report.cameras.indices {
                        report.cameras[index].outcome = .refused("\(problem); nothing was set")
                    }
                }
                break
            }
            guard let measured = locked.after?.linear else { break }
            let target = MatchRequest.wanted(measured, card: card)
            change { $0.target = target }
            await each(others) { note(await match($0, to: target, note)) }
            if card == nil, let after = try? await rig.measure(reference, measurement()) {
                change { $0.referenceAfter = after }
            }
        }
        return board.withLock(\.self)
    }

    /// Why a camera that was locked cannot be the reference; nil if it can.
    private static func problem(of locked: MatchResult) -> String? {
        let reason: String?
        if locked.isMatched {
            reason = locked.after.map { MatchMachine.flaw(of: $0) } ?? "it was not measured"
        } else {
            reason = locked.reason ?? "it has no outcome"
        }
        return reason.map { "\(locked.device) cannot be the reference: \($0)" }
    }

    func measurement(skip: Int = 0) -> MeasureRequest {
        MeasureRequest(
            region: request.region, frames: request.frames, skip: skip, wantsPicture: request.wantsPictures)
    }

    /// Calls `body` for each device, for a few at a time.
    func each(_ devices: [DeviceID], _ body: @escaping @Sendable (DeviceID) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            var rest = devices[...]
            for device in rest.prefix(width) { group.addTask { await body(device) } }
            rest = rest.dropFirst(width)
            while await group.next() != nil {
                if let next = rest.popFirst() { group.addTask { await body(next) } }
            }
        }
    }

    /// Matches one camera to a color.
    /// - Parameter first: The measurement before; nil: it is made.
    func match(
        _ device: DeviceID, to target: ColorMean, from first: PictureMeasurement? = nil, _ note: Progress
    ) async -> MatchResult {
        var machine: MatchMachine
        do {
            let knobs = try await measuring { try await rig.knobs(of: device) }
            machine = MatchMachine(target: target, tolerance: request.tolerance, knobs: knobs)
        } catch {
            return MatchResult(device: device, outcome: .refused(Self.reason(error, hasSet: false)))
        }
        var action = first.map { machine.measured($0) } ?? .measure
        var skip = 0
        while true {
            note(MatchResult(device, machine))
            do {
                switch action {
                case .measure:
                    action = machine.measured(
                        try await measuring { try await rig.measure(device, measurement(skip: skip)) })
                case .set(let entries):
                    let applied = try await rig.set(device, entries)
                    skip = applied.isInPictures ? 1 : Self.unknownDelay
                    action = machine.isSet(applied.values)
                case .end:
                    return MatchResult(device, machine)
                }
            } catch let refusal as KnobsRefused {
                action = machine.refused("\(refusal)")
            } catch {
                action = machine.failed(Self.reason(error, hasSet: machine.iterations > 0))
            }
        }
    }

    /// Waits until a camera is steady, switches it to manual, and corrects what that has changed.
    func lock(_ device: DeviceID, within timeout: Duration, _ note: Progress) async -> MatchResult {
        var watch = SteadyWatch()
        let begin = clock.now()
        var match = MatchResult(device: device, outcome: nil)
        do {
            while !watch.add(try await measuring { try await rig.measure(device, measurement()) }) {
                match.before = watch.newest
                guard clock.now() - begin < timeout else {
                    let difference = watch.difference.map(MatchMachine.percent) ?? "an unknown part"
                    match.outcome = .refused(
                        "it was still adjusting after \(timeout.nanoseconds / 1_000_000_000) s: its last two measurements differ by \(difference); nothing was set"
                    )
                    (match.isSteady, match.steadyAfter) = (false, clock.now() - begin)
                    return match
                }
                note(match)
            }
        } catch {
            match.outcome = .refused(Self.reason(error, hasSet: false))
            return match
        }
        let waited = clock.now() - begin
        guard let steady = watch.newest else {
            match.outcome = .refused("nothing was measured")
            return match
        }
        let steadied: @Sendable (MatchResult) -> MatchResult = { result in
            var result = result
            (result.isSteady, result.steadyAfter) = (true, waited)
            return result
        }
        return steadied(await self.match(device, to: steady.linear, from: steady) { note(steadied($0)) })
    }

    /// Asks a camera something that sets nothing.
    /// - Throws: ``Cancelled`` if the run is cancelled before the answer.
    private func measuring<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            if Task.isCancelled { throw Cancelled() }
            return value
        } catch {
            throw Task.isCancelled ? Cancelled() : error
        }
    }

    private struct Cancelled: Error {}

    private static func reason(_ error: any Error, hasSet: Bool) -> String {
        guard error is Cancelled else { return "\(error)" }
        return hasSet
            ? "it was cancelled; the camera keeps the values that were set last" : "it was cancelled; nothing was set"
    }
}
