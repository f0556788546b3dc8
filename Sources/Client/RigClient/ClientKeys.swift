public import ZeroMQ

/// The keys with which a client connects to a rig.
public struct ClientKeys: Sendable {
    /// The client's own key pair, which the rig has admitted.
    public var pair: CurveKeyPair
    /// The coordinator's public key, which the answering program must have.
    public var coordinator: CurvePublicKey

    public init(pair: CurveKeyPair, coordinator: CurvePublicKey) {
        self.pair = pair
        self.coordinator = coordinator
    }

    var toCoordinator: SocketSecurity { .client(pair, server: coordinator) }
}
