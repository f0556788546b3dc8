internal import CZeroMQ
internal import Glibc

/// A message and the time at which it was received from libzmq.
public struct ReceivedMessage: Sendable {
    public var message: Message
    /// `CLOCK_MONOTONIC` in nanoseconds, read on the socket's thread immediately after `zmq_msg_recv` returned the first part.
    public var receivedAtNanoseconds: Int64

    /// The name that the context's ``Authenticator`` has assigned to the peer's key; nil if the connection is not authenticated.
    public var userID: String?

    public init(message: Message, receivedAtNanoseconds: Int64, userID: String? = nil) {
        self.message = message
        self.receivedAtNanoseconds = receivedAtNanoseconds
        self.userID = userID
    }

    /// The parts of the message.
    public var parts: [MessagePart] { message.parts }
}
