import CaptureModel
internal import Glibc
internal import Mosquitto
internal import PosixSupport
internal import PrivateFiles
internal import RigSecurity

/// How a gateway is a bridge to MQTT. docs/mqtt.md describes it.
public struct MQTTBridgeConfiguration: Sendable {
    /// What a bridge is configured with, as a person gives it.
    public struct Options: Sendable {
        /// The broker, as `host` or `host:port`.
        public var broker: String
        /// A PEM file of the authorities that the broker's certificate is believed by; nil: those of this machine.
        public var authorities: String?
        /// Whether plain text may leave this machine.
        public var allowsPlain = false
        /// A private file with `USER:PASSWORD`.
        public var loginFile: String?
        /// A private file with an API token, in whose name messages trigger; nil: none does.
        public var tokenFile: String?
        /// What all topics begin with.
        public var prefix = "caprig"
        /// What Home Assistant's discovery topics begin with; empty: nothing is announced.
        public var discoveryPrefix = "homeassistant"
        /// How often a picture of each running camera is published; nil: never.
        public var pictureInterval: Duration?

        public init(broker: String) {
            self.broker = broker
        }
    }

    /// The most often that pictures are published.
    public static let shortestPictureInterval = Duration.seconds(1)

    var host: String
    var port: UInt16
    var tls: MQTTTLS?
    var login: MQTTLogin?
    var token: SessionSecret?
    var prefix: String
    var discoveryPrefix: String?
    var pictureInterval: Duration?

    /// Reads the files, which blocks.
    public init(_ options: Options) throws(MQTTConfigurationError) {
        let (host, port) = try Self.address(options.broker)
        self.host = host
        tls = try Self.security(host, options)
        self.port = port ?? (tls == nil ? 1883 : 8883)
        login = try options.loginFile.map { file throws(MQTTConfigurationError) in try Self.login(file) }
        token = try options.tokenFile.map { file throws(MQTTConfigurationError) in try Self.token(file) }
        prefix = try Self.topic(options.prefix, "--mqtt-prefix")
        discoveryPrefix =
            options.discoveryPrefix.isEmpty ? nil : try Self.topic(options.discoveryPrefix, "--mqtt-discovery")
        if let interval = options.pictureInterval, interval < Self.shortestPictureInterval {
            throw MQTTConfigurationError("--mqtt-pictures is at least \(Self.shortestPictureInterval.text)")
        }
        pictureInterval = options.pictureInterval
    }

    private static func address(_ text: String) throws(MQTTConfigurationError) -> (host: String, port: UInt16?) {
        func refused() -> MQTTConfigurationError {
            MQTTConfigurationError(
                "--mqtt '\(text)' is not HOST or HOST:PORT; an IPv6 address with a port is [ADDRESS]:PORT")
        }
        var (host, rest) = (Substring(text), Substring())
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            (host, rest) = (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
        } else if let colon = text.firstIndex(of: ":"), text[colon...].count(where: { $0 == ":" }) == 1 {
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard !host.isEmpty, host.utf8.count <= 255,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/[]".utf8.contains($0) })
        else { throw refused() }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.first == ":", let port = UInt16(decimal: String(rest.dropFirst())), port > 0 else { throw refused() }
        return (String(host), port)
    }

    /// Whether a host is this machine, as far as its text tells.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
    }

    private static func security(_ host: String, _ options: Options) throws(MQTTConfigurationError) -> MQTTTLS? {
        guard !options.allowsPlain || options.authorities == nil else {
            throw MQTTConfigurationError("--mqtt-ca asks for TLS and --mqtt-plain for none; give one of them")
        }
        if let file = options.authorities {
            guard unsafe access(file, R_OK) == 0 else {
                throw MQTTConfigurationError(
                    "--mqtt-ca \(file) cannot be read: \(PosixError(code: errno, operation: "read", subject: file))")
            }
            return .authorities(file: file)
        }
        return options.allowsPlain || isLoopback(host) ? nil : .systemAuthorities
    }

    private static func login(_ file: String) throws(MQTTConfigurationError) -> MQTTLogin {
        do {
            let (user, password) = try PrivateLine.login(file)
            return MQTTLogin(user: user, password: password)
        } catch {
            throw MQTTConfigurationError("\(error)")
        }
    }

    private static func token(_ file: String) throws(MQTTConfigurationError) -> SessionSecret {
        guard let token = SessionSecret(text: try line(of: file)) else {
            throw MQTTConfigurationError(
                "\(file) contains no token; make one: capctl web token --may trigger --label mqtt > \(file)")
        }
        return token
    }

    private static func line(of file: String) throws(MQTTConfigurationError) -> String {
        do { return try PrivateLine.read(file) } catch { throw MQTTConfigurationError("\(error)") }
    }

    private static func topic(_ text: String, _ option: String) throws(MQTTConfigurationError) -> String {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= 128, levels.allSatisfy({ $0.wholeMatch(of: /[A-Za-z0-9_.-]+/) != nil }) else {
            throw MQTTConfigurationError(
                "\(option) '\(text)' is not a topic of letters, digits, '-', '_' and '.', with '/' between its levels")
        }
        return text
    }
}
