/// Lets one request at a time encode, as ``EncodingQueue`` says.
actor EncoderTurns {
    /// Too many requests wait.
    struct Full: Error {}

    private var queue = EncodingQueue()
    private var waiters: [EncodingQueue.Ticket: CheckedContinuation<Void, any Error>] = [:]

    /// Figures for a monitor.
    var figures: EncoderFigures {
        EncoderFigures(
            encoding: queue.encoding == nil ? 0 : 1, waiting: queue.waiting.count, endings: queue.endings)
    }

    /// Whether a request would be refused now.
    var isFull: Bool { queue.encoding != nil && queue.isFull }

    /// Waits for the turn, and has it until `body` ends.
    /// - Throws: ``Full``, `CancellationError` if the task is cancelled while it waits, and what `body` throws.
    func take<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let ticket: EncodingQueue.Ticket
        switch queue.enter() {
        case .refused: throw Full()
        case .encodes(let mine): ticket = mine
        case .waits(let mine):
            ticket = mine
            try await wait(ticket)
        }
        do {
            try Task.checkCancellation()
            let value = try await body()
            end(ticket, .done)
            return value
        } catch {
            end(ticket, Task.isCancelled ? .left : .failed)
            throw error
        }
    }

    private func wait(_ ticket: EncodingQueue.Ticket) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiters[ticket] = $0 }
        } onCancel: {
            // Unstructured, since the handler is not isolated. It runs after the continuation was noted.
            Task { await self.leave(ticket) }
        }
    }

    /// A ticket whose turn has come by then keeps it, and ends it at once.
    private func leave(_ ticket: EncodingQueue.Ticket) {
        guard queue.leave(ticket) else { return }
        waiters.removeValue(forKey: ticket)?.resume(throwing: CancellationError())
    }

    private func end(_ ticket: EncodingQueue.Ticket, _ ending: EncodingQueue.Ending) {
        guard let next = queue.end(ticket, ending) else { return }
        waiters.removeValue(forKey: next)?.resume()
    }
}

/// What a monitor is told of encoding.
struct EncoderFigures: Hashable, Sendable {
    /// 0 or 1.
    var encoding: Int
    var waiting: Int
    var endings: [EncodingQueue.Ending: UInt64]
}
