internal import CaptureModel
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

    /// Reads the place that a person has typed, or that a coordinator has announced.
    /// - Parameter host: `HOST` or `HOST:PORT` of the join channel.
    /// - Throws: `badEndpoint`.
    init(host: String, key: PublicKey) throws(SecurityError) {
        self.init(join: try JoinEndpoint(host, defaultPort: CoordinatorPort.join.standard), key: key)
    }

    /// Reads the key that a person has typed, as `capctl keys list` shows it, or as a key file has it.
    /// - Throws: `badKey`.
    static func readKey(_ key: String) throws(SecurityError) -> PublicKey {
        guard let key = PublicKey(base64: key) ?? CurvePublicKey(key).flatMap({ PublicKey(bytes: $0.bytes) }) else {
            throw SecurityError(
                .badKey, "read", "coordinator's key",
                "the coordinator's key has 44 characters, as `capctl keys list` shows it there, or 40, as a key file has it; "
                    + "this has \(key.count), or others than a key may have")
        }
        return key
    }
}
