internal import ZeroMQ

/// What the events of a viewer's connection say of the frames to come. A value type.
///
/// | event | obstacle |
/// |---|---|
/// | the node refuses the viewer's key | ``Obstacle/keyRefused``, until the next attempt |
/// | no connection has been usable yet, and an attempt at a loopback address fails | ``Obstacle/onOtherMachine`` |
/// | the connection is usable | none |
///
/// An address of another kind may become reachable, and a node that was reached before is being started again.
struct FrameReach: Hashable, Sendable {
    enum Obstacle: Hashable, Sendable {
        /// The node does not admit the viewer's key.
        case keyRefused
        /// The node publishes on its own machine only, and this is another one.
        case onOtherMachine
    }

    private(set) var obstacle: Obstacle?
    private var handshake = HandshakeWatch()
    private var isOwnMachine = false
    private var wasUsable = false

    /// A socket begins to connect.
    /// - Parameter isOwnMachine: Whether the address is a loopback address.
    mutating func connects(isOwnMachine: Bool) {
        (handshake, obstacle, self.isOwnMachine) = (HandshakeWatch(), nil, isOwnMachine)
    }

    /// The viewer goes on waiting, for another attempt.
    mutating func retry() {
        (handshake, obstacle) = (HandshakeWatch(), nil)
    }

    mutating func note(_ event: ConnectionEvent) {
        handshake.note(event)
        switch (event.kind, handshake.finding) {
        case (.handshakeSucceeded, _): (wasUsable, obstacle) = (true, nil)
        case (_, .keyRefused): obstacle = .keyRefused
        case (.connectRetried, _), (_, .endedEarly): if isOwnMachine, !wasUsable { obstacle = .onOtherMachine }
        default: break
        }
    }
}
