/// A message and the time at which it was taken from libzmq.
public struct ReceivedMessage: Sendable {
    public var message: Message
    /// `CLOCK_MONOTONIC` in nanoseconds, read on the socket's thread right after `zmq_msg_recv` returned the first part.
    public var receivedAtNanoseconds: Int64

    public init(message: Message, receivedAtNanoseconds: Int64) {
        self.message = message
        self.receivedAtNanoseconds = receivedAtNanoseconds
    }

    /// The parts of the message.
    public var parts: [MessagePart] { message.parts }
}
