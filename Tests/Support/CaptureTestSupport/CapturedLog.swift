public import Logging
import PosixSupport

/// What was logged, for a test to read and to wait for.
public struct CapturedLog: LogHandler {
    public struct Line: Equatable, Sendable {
        public var level: Logger.Level
        public var message: String
        public var metadata: Logger.Metadata
    }

    public let lines = Observed<[Line]>([])
    public var metadata: Logger.Metadata = [:]
    public var logLevel = Logger.Level.trace

    public init() {}

    public var logger: Logger { Logger(label: "test") { _ in self } }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        lines.change { $0.append(Line(level: event.level, message: "\(event.message)", metadata: all)) }
    }

    /// Returns when this was logged, with the line.
    public func line(_ message: String) async -> Line? {
        await lines.wait { $0.contains { $0.message == message } }
        return lines.value.first { $0.message == message }
    }
}

/// A value that tests wait on: whoever waits is woken when a change fulfils its condition. Usable from any thread.
public final class Observed<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let number: UInt64
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0
    }

    private let state: Locked<State>

    public init(_ value: Value) {
        state = Locked(State(value: value))
    }

    /// The value as it is.
    public var value: Value { state.withLock { $0.value } }

    /// Changes the value under the lock, then wakes those whose condition it fulfils.
    public func change(_ body: (inout Value) -> Void) {
        let met = state.withLock { state in
            body(&state.value)
            let value = state.value
            let met = state.waiters.filter { $0.isMet(value) }
            if !met.isEmpty { state.waiters.removeAll { $0.isMet(value) } }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Returns when the value fulfils the condition, or the task is cancelled, as it is when a test reaches its time limit.
    public func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || isMet(state.value) { return true }
                    state.waiters.append(Waiter(number: number, isMet: isMet, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume()
        }
    }
}
