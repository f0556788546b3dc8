package import CaptureModel
package import StorageKit

import class PosixSupport.Locked

/// Asks the library's disk every second for its free space and whether the library is in its place, and keeps the
/// answer. Status requests use this answer without waiting for a disk, and see when the disk does not answer. Safe from
/// any thread.
package final class LibraryWatch: Sendable {
    static let interval = Duration.seconds(1)

    /// The disk's answer.
    package struct Answer: Hashable, Sendable {
        /// Bytes free for the library; nil if its disk does not report them.
        var freeBytes: Int64?
        /// Why the library cannot be used; nil if it can.
        var problem: RigProblem?
        /// What it lost and put right by itself within the last minute, as a sentence.
        var mishap: String?
    }

    /// What has changed.
    package enum News: Hashable, Sendable {
        case unusable(RigProblem)
        case usable
        /// The library lost something and put it right by itself.
        case mishap(String)
    }

    private struct State {
        var answer = Answer()
        /// When the pending question was asked.
        var asked: LocalTime?
    }

    private let state = Locked(State())
    private let clock: any TimeSource
    private let ask: @Sendable () async -> Answer
    private let tell: @Sendable (News) -> Void

    /// - Parameters:
    ///   - tell: Called when the library becomes unusable or usable again, and when it has put something right.
    ///   - ask: Returns when the disk answers.
    package init(
        clock: any TimeSource, tell: @escaping @Sendable (News) -> Void,
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
        if before.problem != answer.problem { tell(answer.problem.map { .unusable($0) } ?? .usable) }
        if let mishap = answer.mishap, mishap != before.mishap { tell(.mishap(mishap)) }
    }

    /// The free bytes that the disk last reported; nil before the first answer, and if the disk does not report them.
    var freeBytes: Int64? { state.withLock { $0.answer.freeBytes } }

    /// Why the library could not be used at the disk's last answer, or what it has put right; nil if there is nothing to say.
    var problem: RigProblem? {
        let answer = state.withLock { $0.answer }
        return answer.problem ?? answer.mishap.map { RigProblem(.inputOutput, $0) }
    }

    /// For how long the disk has not answered; nil if it answers within the interval.
    var silence: Duration? {
        guard let asked = state.withLock({ $0.asked }) else { return nil }
        let silence = clock.now() - asked
        return silence >= Self.interval ? silence : nil
    }
}

extension ShotLibrary {
    /// Returns the free space, and whether the library can be used.
    package func condition() async -> LibraryWatch.Answer {
        var answer = LibraryWatch.Answer(freeBytes: await freeBytes())
        do throws(StorageError) {
            try await checkAdmission()
        } catch {
            answer.problem = RigProblem(error)
        }
        answer.mishap = await mishap()
        return answer
    }
}
