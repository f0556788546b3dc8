import CameraKit
import CaptureModel
import PosixSupport
import ProgramCamera

/// The exposures of a camera of GigE Vision at given instants, by scheduled action commands. ``ActionMachine`` decides; this passes on what
/// any thread asks for, what the program's thread reads, and what each is to be told.
///
/// | line | direction | meaning |
/// |---|---|---|
/// | `state ID` | to the helper | asks for the camera's clock and exposure |
/// | `state ID …` | from it | ``CameraReading`` |
/// | `unready ID REASON` | from it | the camera did not say |
/// | `action HEX` | to it | a packet for the camera's port of the control protocol |
/// | `datagram HEX` | from it | a packet of the camera |
final class ActionSchedule: ProgramExposures {
    private typealias Answer<Value: Sendable> = CheckedContinuation<Result<Value, ExposureRefusal>, Never>

    private struct State {
        var machine: ActionMachine
        var count: UInt64 = 0
        /// The calls that arm, and those that await a frame.
        var arming: [UInt64: Answer<ArmedExposure>] = [:]
        var waiting: [UInt64: Answer<CameraFrame>] = [:]
        /// Lines for the helper, a few for each exposure.
        var lines: [String] = []
    }

    /// What callers are told, once the state is no longer locked.
    private enum News {
        case armed(Answer<ArmedExposure>, Result<ArmedExposure, ExposureRefusal>)
        case frame(Answer<CameraFrame>, Result<CameraFrame, ExposureRefusal>)
        case dropped
    }

    /// What the helper, the network and the camera usually take before an exposure begins. ``ActionMachine`` refuses what comes too late.
    private static let tellingTime = Duration.milliseconds(100)

    let lag: Duration
    private let context: ProgramExposureContext
    private let state: Locked<State>

    init(_ context: ProgramExposureContext) {
        self.context = context
        // An exposure is not longer than the interval, and half of it is before the instant.
        lag = context.interval / 2 + Self.tellingTime
        state = Locked(
            State(
                machine: ActionMachine(
                    limits: ActionMachine.Limits(
                        interval: context.interval, latencyOffset: context.correction.latencyOffset,
                        uncertainty: context.correction.uncertainty ?? context.interval))))
    }

    func arm(
        at instant: LocalTime, following clock: DisciplinedClock<LocalTimeBase>?
    ) async throws(ExposureRefusal) -> ArmedExposure {
        let now = context.clock.now()
        let result: Result<ArmedExposure, ExposureRefusal> = await withCheckedContinuation { answer in
            change { state in
                state.count += 1
                state.arming[state.count] = answer
                return state.machine.arm(state.count, at: instant, following: clock, now: now)
            }
        }
        return try result.get()
    }

    func frame(of exposure: ArmedExposure) async throws(ExposureRefusal) -> CameraFrame {
        let result: Result<CameraFrame, ExposureRefusal> = await withCheckedContinuation { answer in
            change { state in
                state.waiting[exposure.number] = answer
                return state.machine.awaitFrame(exposure.number)
            }
        }
        return try result.get()
    }

    func disarm(_ exposure: ArmedExposure) {
        change { $0.machine.disarm(exposure.number) }
    }

    // MARK: The program's thread

    var deadline: LocalTime? { state.withLock { $0.machine.deadline } }

    func next(at now: LocalTime) -> [String] {
        change(waking: false) { $0.machine.expire(at: now) }
        return state.withLock { state in
            defer { state.lines = [] }
            return state.lines.map { $0 + "\n" }
        }
    }

    func add(line: String, at now: LocalTime) -> ProgramExposureLine {
        let words = line.split(separator: " ", maxSplits: 8)
        let id = words.count > 1 ? UInt64(words[1]) : nil
        switch words.first {
        case "state":
            guard let id, let reading = CameraReading(words.dropFirst(2)) else { return .wrong(Self.unreadable(line)) }
            change { $0.machine.read(id, reading, now: now) }
        case "unready":
            guard let id else { return .wrong(Self.unreadable(line)) }
            let reason = words.dropFirst(2).joined(separator: " ").printable()
            change { $0.machine.failed(id, reason) }
        case "datagram":
            guard words.count == 2, let bytes = [UInt8](hexadecimal: words[1]) else {
                return .wrong(Self.unreadable(line))
            }
            change { $0.machine.received(bytes) }
        default: return .other
        }
        return .read
    }

    func add(_ frame: CameraFrame, start: Int64, at now: LocalTime) {
        change { $0.machine.received(frame, stamp: start) }
    }

    func end() {
        change { $0.machine.end(ExposureRefusal(.camera, "the camera's stream has ended")) }
    }

    private static func unreadable(_ line: String) -> String {
        "the line '\(line.excerpt)' of its descriptor 3 is not of an exposure"
    }

    // MARK: Answers

    /// Changes the state, and does what follows. Wakes the program's thread if the helper is to be told something, or something is due.
    private func change(waking: Bool = true, _ body: (inout State) -> [ActionMachine.Action]) {
        let news = state.withLock { state in
            let actions = body(&state)
            return actions.compactMap { Self.news(of: $0, &state) }
        }
        for each in news {
            switch each {
            case .armed(let answer, let result): answer.resume(returning: result)
            case .frame(let answer, let result): answer.resume(returning: result)
            case .dropped: context.control.count { $0.droppedByNode += 1 }
            }
        }
        if waking { context.control.signal.signal() }
    }

    private static func news(of action: ActionMachine.Action, _ state: inout State) -> News? {
        switch action {
        case .write(let line):
            state.lines.append(line)
            return nil
        case .armed(let id):
            return state.arming.removeValue(forKey: id).map { .armed($0, .success(ArmedExposure(number: id))) }
        case .refused(let id, let refusal):
            return state.arming.removeValue(forKey: id).map { .armed($0, .failure(refusal)) }
        case .delivered(let id, let frame):
            return state.waiting.removeValue(forKey: id).map { .frame($0, .success(frame)) }
        case .missed(let id, let refusal):
            return state.waiting.removeValue(forKey: id).map { .frame($0, .failure(refusal)) }
        case .dropped: return .dropped
        }
    }
}
