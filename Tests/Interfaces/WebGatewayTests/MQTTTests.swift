import CaptureModel
import Foundation
import Mosquitto
import RigClient
import RigSecurity
import Testing

@testable import WebGateway

private func topics(_ rig: String = "rig", prefix: String = "caprig", discovery: String? = "homeassistant") throws
    -> MQTTTopics
{
    MQTTTopics(prefix: prefix, discovery: discovery, rig: try RigName(rig))
}

private func object(_ payload: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
}

@Suite struct MQTTTopicsTests {
    @Test func `Topics are below the prefix and the rig`() throws {
        let (topics, camera) = (try topics(prefix: "studio/caprig"), try DeviceID("node1/cam1"))
        #expect(topics.availability == "studio/caprig/rig/availability")
        #expect(topics.state(of: camera) == "studio/caprig/rig/devices/node1/cam1/state")
        #expect(topics.ownerID == "studio-caprig-rig")
    }

    @Test func `The device of a kept state is read back, and nothing else is taken for one`() throws {
        let topics = try topics()
        let camera = try DeviceID("node-1/cam_1")
        #expect(topics.device(ofState: topics.state(of: camera)) == camera)
        for other in [
            "caprig/rig/state", "caprig/rig/devices//state", "caprig/rig/devices/a/b/c/state",
            "caprig/rig/devices/A/b/state",
        ] {
            #expect(topics.device(ofState: other) == nil)
        }
    }

    @Test func `No two devices share a discovery topic, whatever their names`() throws {
        let names = ["a", "a_", "a_b", "b", "a__b", "a-b", "b_"]
        var found: Set<String> = []
        for node in names {
            for device in names {
                let object = MQTTTopics.object(try DeviceID("\(node)/\(device)"), "state")
                #expect(object.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
                #expect(found.insert(object).inserted, "\(node)/\(device)")
            }
        }
    }

    @Test func `Without discovery there are no topics of it`() throws {
        let topics = try topics(discovery: nil)
        #expect(topics.discovery("sensor", "x") == nil)
        #expect(topics.keptDiscovery == nil)
        #expect(topics.homeAssistantStatus == nil)
    }
}

@Suite struct MQTTDiscoveryTests {
    private func messages(
        pictures: Bool = true, trigger: Bool = true, _ devices: [DeviceDescription]
    ) throws -> [String: [String: Any]] {
        let discovery = MQTTDiscovery(topics: try topics(), hasPictures: pictures, hasTrigger: trigger)
        return try Dictionary(
            discovery.messages(devices).map { message in
                #expect(message.isRetained)
                return (message.topic, try object(message.payload))
            }, uniquingKeysWith: { first, _ in first })
    }

    private func camera(_ id: String = "node1/cam1") throws -> DeviceDescription {
        DeviceDescription(id: try DeviceID(id), driver: "virtual", make: "Make \"<b>", model: "Mödel {{ 1 }}")
    }

    @Test func `A camera has a picture and its sensors, a microphone its state, and the rig a button`() throws {
        let sound = DeviceDescription(id: try DeviceID("node1/desk"), mediaType: .audio, driver: "alsa")
        let found = try messages([try camera(), sound])
        #expect(
            found.keys.sorted() == [
                "homeassistant/button/caprig_rig/trigger/config",
                "homeassistant/camera/caprig_rig/node1_cam1_picture/config",
                "homeassistant/sensor/caprig_rig/node1_cam1_drops/config",
                "homeassistant/sensor/caprig_rig/node1_cam1_rate/config",
                "homeassistant/sensor/caprig_rig/node1_cam1_skew/config",
                "homeassistant/sensor/caprig_rig/node1_cam1_state/config",
                "homeassistant/sensor/caprig_rig/node1_desk_state/config",
                "homeassistant/sensor/caprig_rig/openShots/config",
            ])
        #expect(Set(found.values.map { $0["unique_id"] as? String }).count == found.count)
    }

    @Test func `Without pictures there is no camera, and without a token no button`() throws {
        let found = try messages(pictures: false, trigger: false, [try camera()])
        #expect(!found.keys.contains { $0.contains("/camera/") || $0.contains("/button/") })
    }

    @Test func `Texts of a device are told as they are, and topics are free of them`() throws {
        let found = try messages([try camera()])
        let state = try #require(found["homeassistant/sensor/caprig_rig/node1_cam1_state/config"])
        let device = try #require(state["device"] as? [String: Any])
        #expect(device["manufacturer"] as? String == "Make \"<b>")
        #expect(device["model"] as? String == "Mödel {{ 1 }}")
        #expect(device["identifiers"] as? [String] == ["caprig/rig/node1/cam1"])
        #expect(device["via_device"] as? String == "caprig/rig")
        #expect(state["state_topic"] as? String == "caprig/rig/devices/node1/cam1/state")
        #expect(state["availability_mode"] as? String == "all")
        #expect(
            (state["availability"] as? [[String: String]])?.map { $0["topic"] } == [
                "caprig/rig/availability", "caprig/rig/coordinator",
            ])
    }
}

@Suite struct MQTTTriggerTests {
    private static let now: Int64 = 1_795_000_000_000_000_000
    private static let sent = "2026-11-18T11:06:40Z"

    private func trigger(_ text: String, retained: Bool = false) throws -> MQTTTrigger {
        try MQTTTrigger(
            MQTTMessage("caprig/rig/trigger", Array(text.utf8), isRetained: retained), base: "caprig/rig", now: Self.now
        )
    }

    private func refusal(_ text: String, retained: Bool = false) -> String? {
        do {
            _ = try trigger(text, retained: retained)
            return nil
        } catch {
            return (error as? GatewayProblem).map { "\($0.code): \($0.detail)" } ?? "\(error)"
        }
    }

    private func message(id: String = "a", sent: String = MQTTTriggerTests.sent, more: String = "") -> String {
        #"{"id":"\#(id)","sent":"\#(sent)","selection":{"choice":{"all":{}}}\#(more)}"#
    }

    @Test func `Two gateways make the same shot of one message, and another of another`() throws {
        let shot = try trigger(message()).request.shot
        #expect(try trigger(message()).request.shot == shot)
        #expect(try trigger(message(id: "b")).request.shot != shot)
        #expect(MQTTTrigger.shot(base: "caprig/other", id: "a", sent: Self.now) != shot)
        #expect(shot.unixMilliseconds == Self.now / 1_000_000)
        #expect(ShotID(shot.description) == shot)
    }

    @Test func `The message is a request for a shot otherwise`() throws {
        let request = try trigger(message(more: #","requireAll":true,"time":{"soon":{"lead":100000000}}"#)).request
            .request
        #expect(request.requireAll)
        #expect(request.time == .soon(lead: 100_000_000))
    }

    @Test func `A retained message triggers nothing`() throws {
        #expect(try #require(refusal(message(), retained: true)).contains("retained message triggers nothing"))
    }

    @Test(arguments: [
        "2026-11-18T11:06:09.9Z", "2026-11-18T11:07:10.1Z", "2026-11-18T12:06:40Z", "1970-01-01T00:00:00Z",
    ])
    func `A message from another time is refused`(sent: String) throws {
        #expect(try #require(refusal(message(sent: sent))).hasPrefix("expired: "))
    }

    @Test(arguments: ["2026-11-18T11:06:11Z", "2026-11-18T11:07:09Z", "2026-11-18T12:06:40+01:00"])
    func `Clocks may differ by half a minute`(sent: String) {
        #expect(refusal(message(sent: sent)) == nil)
    }

    @Test(
        arguments: [
            "", "PRESS", "[]", "null", "{}", #"{"id":"a"}"#,
            #"{"id":1,"sent":"2026-11-18T11:06:40Z","selection":{"choice":{"all":{}}}}"#,
            #"{"id":"a","sent":"now","selection":{"choice":{"all":{}}}}"#,
            #"{"id":"","sent":"2026-11-18T11:06:40Z","selection":{"choice":{"all":{}}}}"#,
            #"{"id":"a","sent":"2026-11-18T11:06:40Z","selection":{"choice":{"all":{}}},"shot":"01936f2e-0000-7000-8000-000000000000"}"#,
            #"{"id":"a","sent":"2026-11-18T11:06:40Z","selection":{"choice":{"all":{}}},"everything":1}"#,
            #"{"id":"a","sent":"2026-11-18T11:06:40Z"}"#,
            #"{"id":"a","id":"b","sent":"2026-11-18T11:06:40Z","selection":{"choice":{"all":{}}}}"#,
            #"{"id":"a","sent":"2026-11-18T11:06:40Z","selection":{"choice":{"all":{}}},"settings":{"movie":{}}}"#,
        ])
    func `What is no such message is refused`(text: String) throws {
        let told = try #require(refusal(text))
        #expect(told.hasPrefix("badRequest: "), "\(told)")
    }

    @Test(
        arguments: [
            ("settings.quality", #""settings":{"quality":0}"#), ("settings.flash", #""settings":{"flash":true}"#),
            ("settings.hdr", #""settings":{"hdr":1}"#), ("time.soon.lead", #""time":{"soon":{"lead":-1}}"#),
            ("requireAll", #""requireAll":"yes""#), ("settings.movie", #""settings":{"movie":{}}"#),
        ])
    func `A mistake in the request is told with the path of its member`(path: String, member: String) throws {
        #expect(try #require(refusal(message(more: ",\(member)"))).hasPrefix("badRequest: \(path): "))
    }

    @Test func `A message that is too long or too deep is refused without being read`() throws {
        let long = message(more: #","x":"\#(String(repeating: "x", count: 10 << 20))""#)
        #expect(try #require(refusal(long)).contains("at most 1048576"))
        #expect(MQTTTrigger.id(of: MQTTMessage("t", Array(long.utf8))) == nil)
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(try #require(refusal(message(more: #","settings":\#(deep)"#))).contains("settings[0]"))
    }

    @Test func `An id of more than 64 bytes is refused and not repeated`() throws {
        let long = String(repeating: "é", count: 33)
        #expect(refusal(message(id: long)) != nil)
        #expect(MQTTTrigger.id(of: MQTTMessage("t", Array(message(id: long).utf8))) == nil)
        #expect(MQTTTrigger.id(of: MQTTMessage("t", Array(message(id: "x").utf8))) == "x")
    }

    @Test func `An id is one shot: a repeat is passed on, another message with it is refused`() throws {
        var recent = RecentTriggers()
        try recent.note(trigger(message()))
        try recent.note(trigger(message()))
        #expect(throws: GatewayProblem.self) { try recent.note(trigger(message(sent: "2026-11-18T11:06:41Z"))) }
        for number in 0..<RecentTriggers.limit { try recent.note(trigger(message(id: "\(number)"))) }
        try recent.note(trigger(message(sent: "2026-11-18T11:06:41Z")))
    }
}

@Suite struct MQTTBridgeConfigurationTests {
    private typealias Options = MQTTBridgeConfiguration.Options

    private func configuration(_ broker: String, _ change: (inout Options) -> Void = { _ in }) throws
        -> MQTTBridgeConfiguration
    {
        var options = Options(broker: broker)
        change(&options)
        return try MQTTBridgeConfiguration(options)
    }

    @Test(
        arguments: [
            ("localhost", "localhost", 1883), ("127.0.0.1:2000", "127.0.0.1", 2000), ("::1", "::1", 1883),
            ("[::1]:2000", "::1", 2000), ("broker.example", "broker.example", 8883),
            ("10.0.0.1:1883", "10.0.0.1", 1883),
        ] as [(String, String, UInt16)])
    func `A broker is a host with or without a port`(text: String, host: String, port: UInt16) throws {
        let configuration = try configuration(text)
        #expect(configuration.host == host)
        #expect(configuration.port == port)
    }

    @Test(arguments: [
        "", ":1883", "host:", "host:0", "host:65536", "host:+1", "[::1]2000", "[::1", "a b", "mqtt://host",
    ])
    func `What is not a host is refused`(text: String) {
        #expect(throws: MQTTConfigurationError.self) { try configuration(text) }
    }

    @Test func `Plain text stays on this machine unless somebody asks for it`() throws {
        #expect(try configuration("127.0.0.1").tls == nil)
        #expect(try configuration("127.0.0.1.example").tls == .systemAuthorities)
        #expect(try configuration("10.0.0.1:1883").tls == .systemAuthorities)
        #expect(try configuration("10.0.0.1") { $0.allowsPlain = true }.tls == nil)
        #expect(try configuration("127.0.0.1") { $0.authorities = "/dev/null" }.tls == .authorities(file: "/dev/null"))
        #expect(throws: MQTTConfigurationError.self) {
            try configuration("10.0.0.1") { ($0.allowsPlain, $0.authorities) = (true, "/dev/null") }
        }
        #expect(throws: MQTTConfigurationError.self) {
            try configuration("10.0.0.1") { $0.authorities = "/dev/null/none" }
        }
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "a/+", "#", "$SYS", "a b", String(repeating: "a", count: 129)])
    func `A prefix that is not a topic is refused`(prefix: String) {
        #expect(throws: MQTTConfigurationError.self) { try configuration("localhost") { $0.prefix = prefix } }
    }

    @Test func `Without a discovery prefix nothing is announced`() throws {
        #expect(try configuration("localhost") { $0.discoveryPrefix = "" }.discoveryPrefix == nil)
        #expect(try configuration("localhost").discoveryPrefix == "homeassistant")
    }

    @Test func `A token that others can read is refused, and a private one is read`() throws {
        let secret = SessionSecret()
        let file = FileManager.default.temporaryDirectory.appending(path: "mqtt-token-\(secret.hash)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(FileManager.default.createFile(atPath: file, contents: Data((secret.text + "\n").utf8)))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        #expect(throws: MQTTConfigurationError.self) { try configuration("localhost") { $0.tokenFile = file } }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try configuration("localhost") { $0.tokenFile = file }.token == secret)
        // A token is not a login.
        #expect(throws: MQTTConfigurationError.self) { try configuration("localhost") { $0.loginFile = file } }
    }
}
