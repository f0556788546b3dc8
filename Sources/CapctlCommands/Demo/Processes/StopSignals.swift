internal import Dispatch
internal import Glibc

/// The signals by which a person or the system asks this process to end, as a stream.
///
/// While it lives they do not end the process by themselves, so that what the process has started can be ended first.
final class StopSignals {
    /// The numbers of the signals that came; for one reader.
    let arrivals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
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
    }
}
