internal import CaptureModel

/// A camera as the roster knew it.
struct DeviceDocument: Codable, Sendable {
    var id: DeviceID
    var mediaType: MediaType
    var type: DeviceType
    var position: Position
    var labels: [String]
    var purpose: String
    var orientation: Orientation
    var mirrored: Bool?
    var driver: String
    var make: String?
    var model: String?
    var serial: String?

    private enum CodingKeys: String, CodingKey {
        case id = "id"
        case mediaType = "mediaType"
        case type = "type"
        case position = "position"
        case labels = "labels"
        case purpose = "purpose"
        case orientation = "orientation"
        case mirrored = "mirrored"
        case driver = "driver"
        case make = "make"
        case model = "model"
        case serial = "serial"
    }

    init(_ value: DeviceDescription) {
        id = value.id
        mediaType = value.mediaType
        type = value.type
        position = value.position
        labels = value.labels
        purpose = value.purpose
        orientation = value.orientation
        mirrored = value.mirrored
        driver = value.driver
        make = value.make
        model = value.model
        serial = value.serial
    }

    var value: DeviceDescription {
        DeviceDescription(
            id: id, mediaType: mediaType, type: type, position: position, labels: labels, purpose: purpose,
            orientation: orientation, mirrored: mirrored, driver: driver, make: make, model: model, serial: serial)
    }
}
