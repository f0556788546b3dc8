import ArgumentParser
import WebGateway

/// Options of the bridge to MQTT.
struct MQTTOptions: ParsableArguments {
    @Option(
        name: .customLong("mqtt"),
        help: "The MQTT broker, as HOST or HOST:PORT, to which the rig's state is published; none: no bridge.")
    var broker: String?
    @Option(
        name: .customLong("mqtt-ca"),
        help:
            "PEM file of the authorities that the broker's certificate is believed by (default: those of this machine)."
    )
    var authorities: String?
    @Flag(
        name: .customLong("mqtt-plain"),
        help: "Speak to a broker on another machine without TLS: anybody in between can read and trigger.")
    var plain = false
    @Option(
        name: .customLong("mqtt-login"),
        help: "File with USER:PASSWORD for the broker, which only this program's user can read.")
    var login: String?
    @Option(
        name: .customLong("mqtt-token"),
        help:
            "File with a token of `capctl web token`, in whose name messages trigger, which only this program's user can read (default: no message triggers)."
    )
    var token: String?
    @Option(name: .customLong("mqtt-prefix"), help: "What all topics begin with, before the rig's name.")
    var prefix = "caprig"
    @Option(
        name: .customLong("mqtt-discovery"),
        help: "What the topics of Home Assistant's discovery begin with; empty: it is told nothing.")
    var discovery = "homeassistant"
    @Option(
        name: .customLong("mqtt-pictures"),
        help: "Publish a small picture of each running camera every so many seconds, at least 1 (default: none).")
    var pictures: Double?

    func validate() throws {
        guard broker != nil || (authorities == nil && !plain && login == nil && token == nil && pictures == nil) else {
            throw ValidationError("options of the bridge to MQTT need --mqtt HOST")
        }
        if let pictures, !(1...86_400).contains(pictures) {
            throw ValidationError("--mqtt-pictures is 1 to 86400 seconds, and not \(pictures)")
        }
    }

    /// nil without a broker.
    /// - Throws: `MQTTConfigurationError`.
    var configuration: MQTTBridgeConfiguration? {
        get throws {
            guard let broker else { return nil }
            var options = MQTTBridgeConfiguration.Options(broker: broker)
            (options.authorities, options.allowsPlain) = (authorities, plain)
            (options.loginFile, options.tokenFile) = (login, token)
            (options.prefix, options.discoveryPrefix) = (prefix, discovery)
            options.pictureInterval = pictures.map { .seconds($0) }
            return try MQTTBridgeConfiguration(options)
        }
    }
}
