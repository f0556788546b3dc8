/// An output that gets the newest frame of a running session whenever its consumer has time for one.
///
/// An output holds at most one waiting frame. It is created when frames are needed and attached to a session's
/// ``SessionOutputs``, and detached and closed afterwards.
public protocol FrameOutput: AnyObject, Sendable {
    /// The connection of the session that feeds it.
    var kind: CaptureOutputKind { get }

    /// Offers a frame. Called on the session's thread; must return at once, whatever the consumer does.
    func offer(_ frame: OfferedFrame)

    /// Returns the newest frame not delivered yet; waits for one. For one consumer.
    /// - Returns: nil after ``close()``, and permanently after the calling task was cancelled.
    func next() async -> OutputFrame?

    /// Ends the consumer's wait and drops the waiting frame.
    func close()
}

extension FrameOutput {
    /// The frames for `for await`. For one consumer, instead of ``next()``.
    public var frames: AsyncStream<OutputFrame> {
        AsyncStream { await self.next() }
    }
}
