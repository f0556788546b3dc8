import CameraKit
import CaptureModel
import PosixSupport

/// The controls of a program that takes changes on its standard input: what it tells of them, and the changes that it is asked for, one at
/// a time.
///
/// | state | event | then |
/// |---|---|---|
/// | idle | a change waits | `set ID NAME=VALUE …` is written: asked |
/// | asked | `done ID` | the caller gets the values that the program has told since; idle |
/// | asked | `refused ID REASON` | the caller gets the reason; idle |
/// | asked | ``patience`` is over | the caller gets that the values may be set; idle |
/// | any | the program ends | every caller gets that |
///
/// An answer to a change that is over is for nobody. The program's thread writes and reads; any thread asks.
final class ProgramControls: StreamControls {
    typealias Mismatch = ProgramLines.Mismatch

    private struct Change {
        var id: UInt64
        var values: [String: Int64]
        var answer: CheckedContinuation<Result<[String: Int64], CameraError>, Never>

        var line: String {
            let words = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return "set \(id) \(words.joined(separator: " "))\n"
        }
    }

    private struct State {
        var table = ControlTable()
        var waiting: [Change] = []
        var asked: (change: Change, deadline: LocalTime)?
        var count: UInt64 = 0
        var hasEnded = false
    }

    /// How long a program may take to carry out a change.
    static let patience = Duration.seconds(5)
    /// Changes that may wait.
    private static let mostWaiting = 16

    private let device: String
    private let wake: EventFlag
    private let state = Locked(State())

    /// - Parameter wake: Wakes the program's thread.
    init(device: String, wake: EventFlag) {
        self.device = device
        self.wake = wake
    }

    /// What the program has told so far.
    var told: [DeviceControl] { state.withLock { $0.table.controls } }

    func controls() async throws(CameraError) -> [DeviceControl] { told }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        guard !values.isEmpty else { return [:] }
        let result = await withCheckedContinuation {
            (answer: CheckedContinuation<Result<[String: Int64], CameraError>, Never>) in
            let refusal = state.withLock { state -> CameraError? in
                if let error = self.refusal(of: values, state) { return error }
                state.count += 1
                state.waiting.append(Change(id: state.count, values: values, answer: answer))
                return nil
            }
            if let refusal { answer.resume(returning: .failure(refusal)) } else { wake.signal() }
        }
        return try result.get()
    }

    private func refusal(of values: [String: Int64], _ state: State) -> CameraError? {
        if state.hasEnded { return error(.failed, Self.ended) }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            if let reason = state.table.refusal(of: name, value) {
                return error(.unsupportedControl, "\(reason); nothing was changed")
            }
        }
        return state.waiting.count < Self.mostWaiting
            ? nil : error(.failed, "\(Self.mostWaiting) changes wait for the program already; nothing was changed")
    }

    // MARK: The program's thread

    /// Returns the line to write, if a change waits and no other is asked for.
    func next(at now: LocalTime) -> String? {
        state.withLock { state in
            guard state.asked == nil, !state.waiting.isEmpty else { return nil }
            let change = state.waiting.removeFirst()
            state.asked = (change, now + Self.patience)
            return change.line
        }
    }

    /// When ``expire(at:)`` has something to do.
    var deadline: LocalTime? { state.withLock { $0.asked?.deadline } }

    /// Ends a change that has taken too long.
    func expire(at now: LocalTime) {
        let late = state.withLock { state -> Change? in
            guard let asked = state.asked, asked.deadline <= now else { return nil }
            state.asked = nil
            return asked.change
        }
        late?.answer.resume(
            returning: .failure(
                error(
                    .failed, "the program has not answered within \(Self.patience.text); the values may have been set"))
        )
    }

    /// Reads a line that is not of a picture's times.
    func add(line: String) throws(Mismatch) {
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "control": try change { (table) throws(Mismatch) in try table.add(control: line) }
        case "item": try change { (table) throws(Mismatch) in try table.add(item: line) }
        case "done" where words.count == 2: answer(words[1]) { .success($0) }
        case "refused" where words.count == 3:
            let reason = String(words[2]).printable()
            answer(words[1]) { [self] _ in
                .failure(error(.unsupportedControl, "the program refuses: \(reason); nothing was changed"))
            }
        default:
            throw Mismatch(
                description: "the line '\(line.excerpt)' of its descriptor 3 is neither a time nor of controls")
        }
    }

    /// Answers everybody, now that the program has ended.
    func end() {
        let changes = state.withLock { state -> [Change] in
            state.hasEnded = true
            defer { (state.asked, state.waiting) = (nil, []) }
            return (state.asked.map { [$0.change] } ?? []) + state.waiting
        }
        for change in changes { change.answer.resume(returning: .failure(error(.failed, Self.ended))) }
    }

    private func change(_ body: (inout ControlTable) throws(Mismatch) -> Void) throws(Mismatch) {
        try state.withLock { (state) throws(Mismatch) in try body(&state.table) }
    }

    private func answer(_ id: Substring, _ result: ([String: Int64]) -> Result<[String: Int64], CameraError>) {
        let done = state.withLock { state -> (Change, [String: Int64])? in
            guard let change = state.asked?.change, "\(change.id)" == id else { return nil }
            state.asked = nil
            let values = change.values.keys.compactMap { name in state.table[name]?.value.map { (name, $0) } }
            return (change, Dictionary(values) { first, _ in first })
        }
        if let (change, values) = done { change.answer.resume(returning: result(values)) }
    }

    private static let ended = "the program has ended; the values may have been set"

    private func error(_ code: CameraError.Code, _ reason: String) -> CameraError {
        CameraError(code, device: device, operation: "set controls", reason: reason)
    }
}
