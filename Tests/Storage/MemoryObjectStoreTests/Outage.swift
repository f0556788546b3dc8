import CaptureTestSupport
import MemoryObjectStore
import PosixSupport

/// Loses requests and answers of a bucket by chance, and ends processes: from then on nothing of them arrives.
final class Outage: Sendable {
    private struct State: Sendable {
        var generator: SeededGenerator
        var hasEnded = false
        var counts = Counts()
    }

    struct Counts: Hashable, Sendable {
        var lostRequests = 0
        var lostAnswers = 0
        var endings = 0
    }

    private let state: Locked<State>
    private let isOn = Locked(true)

    init(seed: UInt64) {
        state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Whether the process that runs has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Another process begins.
    func begin() {
        state.withLock { $0.hasEnded = false }
    }

    func stop() {
        isOn.withLock { $0 = false }
        begin()
    }

    /// To be given to a bucket.
    var fault: @Sendable (String) -> MemoryBucket.Fault? {
        { [self] _ in isOn.withLock { $0 } ? next() : nil }
    }

    private func next() -> MemoryBucket.Fault? {
        state.withLock { state in
            guard !state.hasEnded else { return .requestLost }
            switch Int.random(in: 0..<100, using: &state.generator) {
            case 0..<7:
                state.counts.lostRequests += 1
                return .requestLost
            case 7..<14:
                state.counts.lostAnswers += 1
                return .answerLost
            case 14..<20:
                // The request may have been carried out.
                state.hasEnded = true
                state.counts.endings += 1
                return Bool.random(using: &state.generator) ? .requestLost : .answerLost
            default: return nil
            }
        }
    }
}
