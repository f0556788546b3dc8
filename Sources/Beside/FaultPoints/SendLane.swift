internal import PosixSupport

/// A connection's messages on their way to its socket, which a test can drop, send twice or let overtake each other.
///
/// `Message` is what the socket is given, with the peer where it has several.
public final class SendLane<Message: Sendable>: Sendable {
    private let held = Locked<[Message]>([])

    public init() {}

    /// Hands a message to `send`, or what a fault makes of it.
    /// - Returns: What `send` returned; nil where it was not called.
    public func pass<Point: SendFaultPoint, Outcome>(
        _ message: Message, at point: @autoclosure () -> Point, _ send: (Message) async -> Outcome
    ) async -> Outcome? {
        guard Faults.areArmed else { return await send(message) }
        var outcome: Outcome?
        for message in next(message, after: await Faults.strikeTask(point().rawValue)) { outcome = await send(message) }
        return outcome
    }

    /// The same on a thread, which a delay blocks.
    public func passAtOnce<Point: SendFaultPoint, Outcome>(
        _ message: Message, at point: @autoclosure () -> Point, _ send: (Message) -> Outcome
    ) -> Outcome? {
        guard Faults.areArmed else { return send(message) }
        var outcome: Outcome?
        for message in next(message, after: Faults.strikeBlocking(point().rawValue)) { outcome = send(message) }
        return outcome
    }

    /// What is to be sent in place of `message`, in order.
    private func next(_ message: Message, after action: FaultAction?) -> [Message] {
        held.withLock { held in
            switch action {
            case .drop:
                return []
            case .hold:
                held.append(message)
                return []
            default:
                defer { held = [] }
                return (action == .duplicate ? [message, message] : [message]) + held
            }
        }
    }
}
