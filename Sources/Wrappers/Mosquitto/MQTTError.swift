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
