package import CaptureModel
package import ControlMessages

/// The node's connection to its coordinator, independent of the transport.
package protocol CoordinatorConnection: Sendable {
    /// - Parameters:
    ///   - coordinator: The coordinator that the node has joined; nil if it has joined none.
    ///   - mayWait: Whether the message may wait for a connection. A message that is true only for the moment may not:
    ///     an absent coordinator would receive all of them when it returns.
    /// - Returns: Whether the message is on its way.
    @discardableResult
    func send(_ message: NodeMessage, to coordinator: Epoch?, mayWait: Bool) async -> Bool

    /// Connects again, because nothing arrives on the connection.
    func reconnect() async
}
