import PosixSupport

/// A value that tests wait on: whoever waits is woken when a change fulfils its condition. Usable from any thread.
public final class Observed<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [Waiter] = []
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

    /// Returns when the value fulfils the condition; never, where it does not.
    public func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetAlready = state.withLock { state in
                if isMet(state.value) { return true }
                state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return false
            }
            if isMetAlready { continuation.resume() }
        }
    }
}
