/// How a connection to a broker is made.
public struct MQTTSettings: Sendable {
    /// A name or an address.
    public var host: String
    public var port: UInt16
    /// Unique at the broker: it ends an older connection with the same id.
    public var clientID: String
    /// nil: in plain text.
    public var tls: MQTTTLS?
    /// nil: without signing in.
    public var login: MQTTLogin?
    /// What the broker publishes if this connection ends in any way but ``MQTTConnection/close(leaving:)`` without the will.
    public var will: MQTTMessage?
    /// After one and a half times this silence the broker takes the connection for lost, and this end after about twice. At least 5 s.
    public var keepAliveSeconds = 10

    public init(host: String, port: UInt16, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }
}

/// Whose certificates a broker is believed by. The certificate must have the broker's name.
public enum MQTTTLS: Hashable, Sendable {
    /// Those that this machine trusts.
    case systemAuthorities
    /// Those in a PEM file.
    case authorities(file: String)
}

/// A user of a broker.
public struct MQTTLogin: Sendable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// A message to or from a broker.
public struct MQTTMessage: Hashable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    public var quality: Quality
    /// To a broker: it keeps the message for those who come later; an empty payload removes what it keeps. From a broker: whether it was
    /// published so.
    public var isRetained: Bool

    /// How often a message arrives.
    public enum Quality: Int32, Hashable, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }

    public init(_ topic: String, _ payload: [UInt8], quality: Quality = .atLeastOnce, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
    }
}

/// The topics that a connection receives messages of.
public struct MQTTSubscription: Hashable, Sendable {
    /// With `+` and `#` as wildcards.
    public var filter: String
    /// Whether the broker first sends what it keeps for these topics.
    public var wantsRetained: Bool

    /// Messages of this connection itself do not come back.
    public init(_ filter: String, wantsRetained: Bool) {
        self.filter = filter
        self.wantsRetained = wantsRetained
    }
}
