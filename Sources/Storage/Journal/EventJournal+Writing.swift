public import CaptureModel

extension EventJournal {
    /// Has what the disk refuses written once it works again, also where no further event comes, until the task is
    /// cancelled. It rests while nothing is refused. For one task at a time.
    ///
    /// - Parameters:
    ///   - clock: By which it waits ``retryInterval``.
    ///   - tell: Called on the journal's thread when events begin to wait for the disk, and when none does any more.
    public func keepWriting(
        clock: any TimeSource, tell: @escaping @Sendable (EventJournalProgress) -> Void
    ) async {
        self.tell = tell
        defer { self.tell = nil }
        if writing.state == .refused { tell(progress) }
        for await _ in refusals {
            while writing.state == .refused, (try? await clock.sleep(for: Self.retryInterval)) != nil { writeWaiting() }
        }
    }

    /// Writes what waits for the disk, oldest first, as far as the disk lets.
    func writeWaiting() {
        let written = unwritten.firstIndex { !write($0) } ?? unwritten.count
        unwritten.removeFirst(written)
        for action in writing.tried(isWaiting: !unwritten.isEmpty) {
            switch action {
            case .tell: tell?(progress)
            case .tryAgain: refusal.yield()
            }
        }
    }
}
