internal import CaptureModel
internal import FoundationEssentials
internal import Mosquitto
internal import RigDocuments

/// What Home Assistant is told of a rig (its MQTT discovery): a device for the rig and for each device, and their entities.
struct MQTTDiscovery {
    let topics: MQTTTopics
    /// Whether pictures of cameras are published.
    let hasPictures: Bool
    /// Whether messages trigger.
    let hasTrigger: Bool

    /// The messages for these devices; none without discovery.
    func messages(_ devices: [DeviceDescription]) -> [MQTTMessage] {
        var entities = rigEntities
        for device in devices { entities += self.entities(of: device) }
        return entities.compactMap { entity in
            guard let topic = topics.discovery(entity.component, entity.object) else { return nil }
            return (try? entity.encoded).map { MQTTMessage(topic, $0, isRetained: true) }
        }
    }

    private var rigEntities: [DiscoveryEntity] {
        let name = "Caprig \(topics.base.split(separator: "/").last ?? "")"
        let device = DiscoveryEntity.Device(
            identifiers: [topics.base], manufacturer: "Caprig", model: nil, name: name, serialNumber: nil,
            swVersion: WebGateway.software, viaDevice: nil)
        var shots = entity("sensor", "openShots", device, id: "\(topics.base)/openShots", "Open shots")
        shots.stateTopic = topics.state
        shots.valueTemplate = "{{ value_json.openShots }}"
        shots.stateClass = "measurement"
        guard hasTrigger else { return [shots] }
        var button = entity("button", "trigger", device, id: "\(topics.base)/trigger", "Take a picture")
        button.commandTopic = topics.trigger
        // A new id at each press. What a template writes as JSON may contain any character.
        button.commandTemplate =
            "{{ {'id': 'home-assistant ' ~ utcnow().isoformat(), 'sent': utcnow().isoformat(), 'selection': {'choice': {'all': {}}}} | tojson }}"
        button.qos = 1
        button.retain = false
        return [shots, button]
    }

    private func entities(of description: DeviceDescription) -> [DiscoveryEntity] {
        let id = description.id
        let device = DiscoveryEntity.Device(
            identifiers: ["\(topics.base)/\(id)"], manufacturer: description.make,
            model: description.model ?? description.driver, name: "\(id)", serialNumber: description.serial,
            swVersion: nil, viaDevice: topics.base)
        func sensor(_ word: String, _ name: String, _ topic: String, _ template: String) -> DiscoveryEntity {
            var sensor = entity(
                "sensor", MQTTTopics.object(id, word), device, id: "\(topics.base)/\(id)/\(word)", name)
            sensor.stateTopic = topic
            sensor.valueTemplate = template
            return sensor
        }
        var state = sensor("state", "State", topics.state(of: id), "{{ value_json.condition.state }}")
        state.jsonAttributesTopic = topics.state(of: id)
        state.jsonAttributesTemplate =
            "{{ {'purpose': value_json.device.purpose, 'reason': value_json.condition.reason | default(value_json.livePictureProblem | default(''))} | tojson }}"
        guard description.mediaType == .video else { return [state] }
        let figures = topics.figures(of: id)
        var rate = sensor(
            "rate", "Frame rate", figures,
            "{{ value_json.framesPerSecond if value_json.framesPerSecond is defined else None }}")
        (rate.unitOfMeasurement, rate.stateClass) = ("fps", "measurement")
        var drops = sensor("drops", "Dropped frames", figures, "{{ value_json.dropped }}")
        (drops.unitOfMeasurement, drops.stateClass) = ("frames", "total_increasing")
        var skew = sensor(
            "skew", "Last skew", figures,
            "{{ (value_json.lastSkewNanoseconds | int / 1000) if value_json.lastSkewNanoseconds is defined else None }}"
        )
        (skew.unitOfMeasurement, skew.stateClass) = ("µs", "measurement")
        guard hasPictures else { return [state, rate, drops, skew] }
        var camera = entity(
            "camera", MQTTTopics.object(id, "picture"), device, id: "\(topics.base)/\(id)/picture", "Picture")
        camera.topic = topics.picture(of: id)
        return [camera, state, rate, drops, skew]
    }

    private func entity(
        _ component: String, _ object: String, _ device: DiscoveryEntity.Device, id: String, _ name: String
    ) -> DiscoveryEntity {
        DiscoveryEntity(
            component: component, object: object,
            availability: [topics.availability, topics.coordinator].map { .init(topic: $0) }, device: device,
            name: name,
            uniqueId: id)
    }
}

/// The document of an entity, with the names of Home Assistant in its own spelling: `unique_id` for `uniqueId`.
struct DiscoveryEntity: Encodable {
    struct Availability: Encodable {
        var topic: String
    }

    struct Device: Encodable {
        var identifiers: [String]
        var manufacturer: String?
        var model: String?
        var name: String
        var serialNumber: String?
        var swVersion: String?
        var viaDevice: String?
    }

    struct Origin: Encodable {
        var name = "Caprig"
        var swVersion = WebGateway.software
    }

    /// `camera`, `sensor` or `button`; part of the topic only.
    var component: String
    /// Part of the topic only.
    var object: String
    var availability: [Availability]
    var availabilityMode = "all"
    var commandTemplate: String?
    var commandTopic: String?
    var device: Device
    var jsonAttributesTemplate: String?
    var jsonAttributesTopic: String?
    var name: String
    var origin = Origin()
    var qos: Int?
    var retain: Bool?
    var stateClass: String?
    var stateTopic: String?
    var topic: String?
    var uniqueId: String
    var unitOfMeasurement: String?
    var valueTemplate: String?

    private enum CodingKeys: String, CodingKey {
        case availability, availabilityMode, commandTemplate, commandTopic, device, jsonAttributesTemplate
        case jsonAttributesTopic, name, origin, qos, retain, stateClass, stateTopic, topic, uniqueId
        case unitOfMeasurement, valueTemplate
    }

    var encoded: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return Array(JSONText.escaped(String(decoding: try encoder.encode(self), as: UTF8.self)).utf8)
        }
    }
}
