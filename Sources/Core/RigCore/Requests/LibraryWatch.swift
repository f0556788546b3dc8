package import CaptureModel
import PosixSupport

/// Asks the library's disk every second how much room it has, and whether the library is in its place, and keeps the answer
/// at hand: who asks for the state of the rig hears it without waiting for a disk, and hears when the disk does not answer.
/// Safe from any thread.
package final class LibraryWatch: Sendable {
    static let interval = Duration.seconds(1)

    /// What the disk says.
    package struct Answer: Hashable, Sendable {
        /// Bytes free to the library; nil where its disk refuses to tell.
        var freeBytes: Int64?
        /// Why the library cannot be used; nil where it can.
        var problem: CaptureProblem?
    }

    private struct State {
        var answer = Answer()
        /// When the question that is not answered yet was asked.
        var asked: LocalTime?
    }

    private let state = Locked(State())
    private let clock: any TimeSource
    private let ask: @Sendable () async -> Answer
    private let tell: @Sendable (CaptureProblem?) -> Void

    /// - Parameters:
    ///   - tell: Called when the library cannot be used any more, with the reason, and when it can be again.
    ///   - ask: Returns when the disk answers.
    package init(
        clock: any TimeSource, tell: @escaping @Sendable (CaptureProblem?) -> Void,
        ask: @escaping @Sendable () async -> Answer
    ) {
        self.clock = clock
        self.tell = tell
        self.ask = ask
    }

    /// Runs until the task is cancelled.
    package func run() async {
        repeat { await look() } while (try? await clock.sleep(for: Self.interval)) != nil
    }

    package func look() async {
        state.withLock { $0.asked = clock.now() }
        let answer = await ask()
        let before = state.withLock { state in
            defer { state = State(answer: answer) }
            return state.answer
        }
        if before.problem != answer.problem { tell(answer.problem) }
    }

    /// As the disk has last told; nil before, and where it refuses to.
    var freeBytes: Int64? { state.withLock { $0.answer.freeBytes } }

    /// Why the library cannot be used, as the disk has last told; nil where it can.
    var problem: CaptureProblem? { state.withLock { $0.answer.problem } }

    /// For how long the disk has not answered; nil where it answers within the interval.
    var silence: Duration? {
        guard let asked = state.withLock({ $0.asked }) else { return nil }
        let silence = clock.now() - asked
        return silence >= Self.interval ? silence : nil
    }
}
