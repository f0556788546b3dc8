public import RigSecurity
public import ZeroMQ

/// Who sent a message: the key that the connection has proved, and its address. The authenticator's name of a
/// connection (ZAP's `User-Id`), which libzmq attaches to each of its messages.
public struct PeerIdentity: Hashable, Sendable {
    public let key: PublicKey
    /// The peer's address; nil if the system did not tell it.
    public let address: IPAddress?

    public init(key: PublicKey, address: IPAddress?) {
        self.key = key
        self.address = address
    }

    /// Returns the sender of a received message; nil for a message of a connection without a key.
    public init?(of message: ReceivedMessage) {
        guard let userID = message.userID else { return nil }
        self.init(userID: userID)
    }

    /// Reads the form that ``userID`` writes.
    init?(userID: String) {
        let words = userID.split(separator: " ", omittingEmptySubsequences: false)
        guard let key = words.first.flatMap({ PublicKey(base64: String($0)) }), words.count <= 2 else { return nil }
        self.init(key: key, address: words.count == 2 ? IPAddress(String(words[1])) : nil)
    }

    /// The key in base64, followed by a space and the address if it is known.
    var userID: String {
        guard let address else { return key.base64 }
        return "\(key.base64) \(address)"
    }
}

extension PublicKey {
    /// A key of ZeroMQ as the rig's rules use it.
    /// - Returns: nil for the key of zeros, which no key pair has.
    public init?(_ key: CurvePublicKey) {
        self.init(bytes: key.bytes)
    }
}
