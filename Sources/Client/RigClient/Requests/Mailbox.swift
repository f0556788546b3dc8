internal import CaptureModel

/// A bounded queue of messages from any thread, whose one reader can stop waiting after a time limit.
///
/// Bound: `limit` messages; a full mailbox drops its oldest. Only its reader's task uses it; writers use `post`.
final class Mailbox<Message: Sendable> {
    /// What the reader receives: a message, or the end of one of its waits.
    enum Event: Sendable {
        case message(Message)
        case alarm(Int)
    }

    /// Adds messages and ends the mailbox; safe on any thread.
    struct Sender: Sendable {
        fileprivate let continuation: AsyncStream<Event>.Continuation

        func post(_ message: Message) {
            continuation.yield(.message(message))
        }

        func close() {
            continuation.finish()
        }
    }

    /// The outcome of a wait.
    enum Delivery {
        case message(Message)
        /// The wait is over and nothing arrived.
        case silence
        /// Nothing more will arrive, or the reader's task is cancelled.
        case closed
    }

    let sender: Sender
    private let time: any TimeSource
    private var iterator: AsyncStream<Event>.AsyncIterator
    private var waits = 0

    init(limit: Int, time: any TimeSource) {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(limit))
        sender = Sender(continuation: continuation)
        iterator = stream.makeAsyncIterator()
        self.time = time
    }

    deinit { sender.close() }

    /// Waits for a message, at most for `limit`.
    func next(within limit: Duration) async -> Delivery {
        waits += 1
        let alarm = ring(waits, after: limit)
        defer { alarm.cancel() }
        while let event = await iterator.next(isolation: #isolation) {
            switch event {
            case .message(let message): return .message(message)
            case .alarm(waits): return .silence
            case .alarm: continue  // of an earlier wait that ended with a message
            }
        }
        return .closed
    }

    /// Unstructured, since racing a stream's reader with a timer would lose what the reader has just read.
    private func ring(_ number: Int, after limit: Duration) -> Task<Void, Never> {
        Task { [time, continuation = sender.continuation] in
            guard (try? await time.sleep(for: limit)) != nil else { return }
            continuation.yield(.alarm(number))
        }
    }
}
