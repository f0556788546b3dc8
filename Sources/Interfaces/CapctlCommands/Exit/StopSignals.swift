internal import Dispatch
internal import Glibc

/// The signals by which a person or the system asks this process to end, as a stream.
///
/// While it lives they do not end the process by themselves, so that what the process has started can be ended first.
final class StopSignals {
    /// The numbers of the signals that came; for one reader.
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
    /// Runs `body` until it ends, or is cancelled by a signal.
    /// - Parameter remark: What there is to say where a signal has cut it off.
    /// - Throws: What `body` throws; ``CommandFailure`` with the status of an interrupted command where it was cut off. One that
    ///   ends with a result all the same was not.
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

    /// The same for a command that has nothing to end itself: what it has asked for goes on without it.
    static func untilStopped<Result: Sendable>(
        _ remark: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = StopSignals()
        defer { withExtendedLifetime(signals) {} }
        return try await until(signals.arrivals, remark, body)
    }
}
