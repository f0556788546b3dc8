internal import Dispatch
internal import Glibc

/// The signals by which a person or the system requests the end of this process, as a stream.
///
/// While it exists, the signals do not end the process, so that child processes can be ended first.
final class StopSignals {
    /// The numbers of the signals that arrived; for one reader.
    let arrivals: AsyncStream<Int32>
    private let numbers: [Int32]
    private let sources: [any DispatchSourceSignal]

    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
        self.numbers = numbers
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(4))
        arrivals = stream
        sources = numbers.map { number in
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in numbers { _ = signal(number, SIG_DFL) }
    }
}

extension StopSignals {
    /// Runs `body` until it ends, or a signal cancels it.
    /// - Parameter remark: The message if a signal has ended it early.
    /// - Throws: Errors of `body`; ``CommandFailure`` with the status of an interrupted command if a signal ended it
    ///   early. A `body` that returns a result in spite of the signal was not ended early.
    static func until<Result: Sendable>(
        _ signals: AsyncStream<Int32>, _ remark: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { return nil }
                return nil
            }
            defer { group.cancelAll() }
            if let result = try await group.next() ?? nil { return result }
            group.cancelAll()
            while let outcome = await group.nextResult() {
                if case .success(let result?) = outcome { return result }
            }
            throw CommandFailure(.interrupted, remark)
        }
    }

    /// Runs `body` to its end, also after a signal.
    /// - Parameter stop: Called at the first signal, with a function that cancels `body`. From then on, a signal ends the process.
    /// - Returns: The result, and whether there was a signal.
    static func untilEnd<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result,
        stop: @escaping @Sendable (_ cancel: @Sendable () -> Void) async -> Void
    ) async throws -> (result: Result, isInterrupted: Bool) {
        let signals = Task {
            let signals = StopSignals()
            for await _ in signals.arrivals { return true }
            return false
        }
        return try await untilEnd(when: signals, body, stop: stop)
    }

    /// Runs the `body` of a command that gives cameras their values back when a signal has cancelled it.
    /// - Returns: As ``untilEnd(_:stop:)``.
    static func puttingBack<Result: Sendable>(
        _ console: Console, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> (result: Result, isInterrupted: Bool) {
        try await untilEnd(body) { cancel in
            console.endProgress()
            console.note("stopping; the cameras get their values back; a second signal ends this command at once\n")
            cancel()
        }
    }

    /// - Parameter signal: Whether a signal has arrived, or the task was cancelled.
    static func untilEnd<Result: Sendable>(
        when signal: Task<Bool, Never>, _ body: @escaping @Sendable () async throws -> Result,
        stop: @escaping @Sendable (_ cancel: @Sendable () -> Void) async -> Void
    ) async throws -> (result: Result, isInterrupted: Bool) {
        // Unstructured, because what is under way is put in order in spite of the signal.
        let work = Task { try await body() }
        let stopping = Task {
            guard await signal.value else { return false }
            await stop { work.cancel() }
            return true
        }
        defer { signal.cancel() }
        let result = try await work.value
        signal.cancel()
        return (result, await stopping.value)
    }

    /// As ``until(_:_:_:)``, for a command that has nothing to end: its request continues without it.
    static func untilStopped<Result: Sendable>(
        _ remark: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = StopSignals()
        defer { withExtendedLifetime(signals) {} }
        return try await until(signals.arrivals, remark, body)
    }
}
