import CaptureModel
import PosixSupport

/// Asks the library's disk every second how much room it has, and keeps the answer at hand: who asks for the state of the
/// rig hears it without waiting for a disk, and hears when the disk does not answer. Safe from any thread.
final class LibraryWatch: Sendable {
    static let interval = Duration.seconds(1)

    private struct State {
        var freeBytes: Int64?
        /// When the question that is not answered yet was asked.
        var asked: LocalTime?
    }

    private let state = Locked(State())
    private let clock: any TimeSource
    private let ask: @Sendable () async -> Int64?

    /// - Parameter ask: Bytes free to the library; nil where its disk refuses to tell. Returns when the disk answers.
    init(clock: any TimeSource, ask: @escaping @Sendable () async -> Int64?) {
        self.clock = clock
        self.ask = ask
    }

    /// Runs until the task is cancelled.
    func run() async {
        repeat { await look() } while (try? await clock.sleep(for: Self.interval)) != nil
    }

    func look() async {
        state.withLock { $0.asked = clock.now() }
        let freeBytes = await ask()
        state.withLock { $0 = State(freeBytes: freeBytes) }
    }

    /// As the disk has last told; nil before, and where it refuses to.
    var freeBytes: Int64? { state.withLock { $0.freeBytes } }

    /// For how long the disk has not answered; nil where it answers within the interval.
    var silence: Duration? {
        guard let asked = state.withLock({ $0.asked }) else { return nil }
        let silence = clock.now() - asked
        return silence >= Self.interval ? silence : nil
    }
}
