internal import CaptureModel

/// A bounded queue of letters from any thread, whose one reader can stop waiting after a while.
///
/// Bound: `limit` letters; a full mailbox drops its oldest. Only its reader's task uses it; writers use `post`.
final class Mailbox<Letter: Sendable> {
    /// What the reader finds: a letter, or the end of one of its own waits.
    enum Slip: Sendable {
        case letter(Letter)
        case alarm(Int)
    }

    /// Puts letters in and ends the mailbox; safe on any thread.
    struct Slot: Sendable {
        fileprivate let continuation: AsyncStream<Slip>.Continuation

        func post(_ letter: Letter) {
            continuation.yield(.letter(letter))
        }

        func close() {
            continuation.finish()
        }
    }

    /// What a wait came to.
    enum Delivery {
        case letter(Letter)
        /// The wait is over and nothing came.
        case silence
        /// Nothing will come any more, or the reader's task is cancelled.
        case closed
    }

    let slot: Slot
    private let time: any TimeSource
    private var iterator: AsyncStream<Slip>.AsyncIterator
    private var waits = 0

    init(limit: Int, time: any TimeSource) {
        let (stream, continuation) = AsyncStream.makeStream(of: Slip.self, bufferingPolicy: .bufferingNewest(limit))
        slot = Slot(continuation: continuation)
        iterator = stream.makeAsyncIterator()
        self.time = time
    }

    deinit { slot.close() }

    /// Waits for a letter, at most for `limit`.
    func next(within limit: Duration) async -> Delivery {
        waits += 1
        let alarm = ring(waits, after: limit)
        defer { alarm.cancel() }
        while let slip = await iterator.next(isolation: #isolation) {
            switch slip {
            case .letter(let letter): return .letter(letter)
            case .alarm(waits): return .silence
            case .alarm: continue  // of an earlier wait that ended with a letter
            }
        }
        return .closed
    }

    /// Unstructured, because a stream's reader cannot be raced with a timer without losing what it has just read.
    private func ring(_ number: Int, after limit: Duration) -> Task<Void, Never> {
        Task { [time, continuation = slot.continuation] in
            guard (try? await time.sleep(for: limit)) != nil else { return }
            continuation.yield(.alarm(number))
        }
    }
}
