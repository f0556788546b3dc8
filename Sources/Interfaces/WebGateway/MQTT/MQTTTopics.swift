internal import CaptureModel
internal import Mosquitto
internal import RigDocuments
internal import RigSecurity

/// The topics of a rig. Names of rigs, nodes, devices and events have no characters that mean something in a topic.
struct MQTTTopics: Hashable {
    static let online = Array("online".utf8)
    static let offline = Array("offline".utf8)

    /// What all topics of the rig begin with.
    let base: String
    /// What Home Assistant's discovery topics begin with; nil: none are published.
    let discovery: String?
    private let rig: RigName

    init(prefix: String, discovery: String?, rig: RigName) {
        base = "\(prefix)/\(rig)"
        self.discovery = discovery
        self.rig = rig
    }

    /// The id at the broker of the gateway that publishes; the broker admits one client with an id.
    var ownerID: String { base.replacing("/", with: "-") }

    var availability: String { "\(base)/availability" }
    var coordinator: String { "\(base)/coordinator" }
    var state: String { "\(base)/state" }
    var trigger: String { "\(base)/trigger" }
    var triggerResult: String { "\(base)/trigger/result" }

    func event(_ name: EventName) -> String { "\(base)/events/\(name.rawValue)" }
    func state(of device: DeviceID) -> String { "\(base)/devices/\(device)/state" }
    func figures(of device: DeviceID) -> String { "\(base)/devices/\(device)/figures" }
    func picture(of device: DeviceID) -> String { "\(base)/devices/\(device)/picture" }

    /// Kept messages of devices, which may be those of devices that the rig has no longer.
    var keptStates: String { "\(base)/devices/+/+/state" }

    /// The device of a topic of ``keptStates``.
    func device(ofState topic: String) -> DeviceID? {
        let (start, end) = ("\(base)/devices/", "/state")
        guard topic.hasPrefix(start), topic.hasSuffix(end), topic.utf8.count > start.utf8.count + end.utf8.count else {
            return nil
        }
        return try? DeviceID(String(topic.dropFirst(start.count).dropLast(end.count)))
    }

    // MARK: Home Assistant's discovery

    /// Where Home Assistant says that it has started.
    var homeAssistantStatus: String? { discovery.map { "\($0)/status" } }
    /// Kept discovery messages of this rig.
    var keptDiscovery: String? { discovery.map { "\($0)/+/\(discoveryNode)/+/config" } }

    /// - Parameter object: ``object(_:_:)``, or a word without capitals for the rig itself.
    func discovery(_ component: String, _ object: String) -> String? {
        discovery.map { "\($0)/\(component)/\(discoveryNode)/\(object)/config" }
    }

    private var discoveryNode: String { base.split(separator: "/").map { Self.joinable($0) }.joined(separator: "_") }

    /// The part of a discovery topic that names a device's entity.
    static func object(_ device: DeviceID, _ entity: String) -> String {
        [joinable(device.node.rawValue), joinable(device.device.rawValue), entity].joined(separator: "_")
    }

    /// Doubles `_`, so that a single one separates: a name does not begin with one. Home Assistant allows letters, digits, `_` and `-`.
    private static func joinable(_ name: some StringProtocol) -> String {
        String(name).replacing("_", with: "__").replacing(".", with: "-")
    }
}

extension MQTTMessage {
    /// A message with a JSON document.
    init(_ topic: String, document: some Encodable, quality: Quality = .atLeastOnce, isRetained: Bool = false) throws {
        self.init(topic, Array(try JSONText.line(document).utf8.dropLast()), quality: quality, isRetained: isRetained)
    }

    /// Removes what the broker keeps for a topic.
    static func removal(of topic: String) -> MQTTMessage { MQTTMessage(topic, [], isRetained: true) }
}
