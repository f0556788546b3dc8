/// Something that gets the frames of a running session: the newest one, whenever its consumer has time for one.
///
/// An output holds at most one frame that waits. It is made when somebody wants its frames, attached to a session's
/// ``SessionOutputs``, and detached and closed when nobody does.
public protocol FrameOutput: AnyObject, Sendable {
    /// Which of the session's connections feeds it.
    var kind: CaptureOutputKind { get }

    /// Takes a frame. Called on the session's thread; must return at once, whatever the consumer does.
    func offer(_ frame: OfferedFrame)

    /// The newest frame not handed on yet; waits for one. For one consumer.
    /// - Returns: nil after ``close()``, and for good when the calling task has been cancelled.
    func next() async -> OutputFrame?

    /// Ends the consumer's waiting and lets go of the frame that waits.
    func close()
}

extension FrameOutput {
    /// The frames for `for await`; for one consumer, and in place of ``next()``.
    public var frames: AsyncStream<OutputFrame> {
        AsyncStream { await self.next() }
    }
}
