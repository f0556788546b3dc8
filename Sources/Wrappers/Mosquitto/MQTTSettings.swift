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

/// Why a connection to a broker could not be made, or has ended.
public struct MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The broker cannot be reached, or the network has failed.
        case unreachable
        /// TLS failed: the broker's certificate, or what is not a broker with TLS.
        case tls
        /// The broker does not admit this client.
        case refused
        /// Another client has connected with the same id.
        case takenOver
        /// The broker has ended the connection, or answers no longer.
        case lost
        /// The settings cannot be used, or this machine lacks memory or threads.
        case unusable
        /// This end has closed the connection.
        case closed
    }

    public var code: Code
    /// The broker, as `host:port`.
    public var broker: String
    /// What happened.
    public var reason: String

    public init(_ code: Code, broker: String, reason: String) {
        self.code = code
        self.broker = broker
        self.reason = reason
    }

    /// What the user can do, if the code determines it.
    private var advice: String? {
        switch code {
        case .unreachable: "check that the broker runs and that this machine reaches its port"
        case .tls:
            "check that the broker offers TLS on this port, and that its certificate has its name and is of a known authority"
        case .refused: "check user and password, the broker's access rules, and that it speaks MQTT 5"
        case .unusable: "check the options"
        case .takenOver, .lost, .closed: nil
        }
    }

    public var description: String {
        let sentence = "MQTT broker \(broker): \(reason)"
        return advice.map { "\(sentence); \($0)" } ?? sentence
    }
}
