internal import RigConfiguration
public import RigSecurity
internal import ZeroMQ

/// A coordinator that a person names, for a machine that has no code: where it accepts requests to join, and its key.
public struct CoordinatorPlace: Hashable, Sendable {
    public var join: JoinEndpoint
    public var key: PublicKey

    public init(join: JoinEndpoint, key: PublicKey) {
        self.join = join
        self.key = key
    }

    /// Reads what a person has typed.
    /// - Parameters:
    ///   - host: `HOST` or `HOST:PORT` of the join channel.
    ///   - key: As `capctl keys list` shows it, or as a key file has it.
    /// - Throws: `badEndpoint`, `badKey`.
    public init(host: String, key: String) throws(SecurityError) {
        let join = try JoinEndpoint(host, defaultPort: CoordinatorPort.join.standard)
        guard let key = PublicKey(base64: key) ?? CurvePublicKey(key).flatMap({ PublicKey(bytes: $0.bytes) }) else {
            throw SecurityError(
                .badKey, "read", "coordinator's key",
                "the coordinator's key has 44 characters, as `capctl keys list` shows it there, or 40, as a key file has it; "
                    + "this has \(key.count), or others than a key may have")
        }
        self.init(join: join, key: key)
    }
}
