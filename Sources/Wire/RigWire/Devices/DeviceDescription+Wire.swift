public import CaptureModel
public import RigProtocol

extension DeviceDescription {
    public init(wire: WireDeviceDescription) throws(WireError) {
        let reader = FieldReader("DeviceDescription")
        var labels: [String] = []
        for label in try reader.list(wire.labels, "labels", limit: WireLimits.labels) {
            labels.append(try reader.word(label, "labels"))
        }
        self.init(
            id: try DeviceID(wire: try reader.present(wire.hasID ? wire.id : nil, "id")),
            mediaType: try reader.word(wire.mediaType, "media_type", as: MediaType.self),
            type: DeviceType(rawValue: try reader.word(wire.type, "type")),
            position: Position(rawValue: try reader.word(wire.position, "position")),
            labels: labels,
            purpose: wire.purpose.sentence(limit: WireLimits.purposeByteCount),
            orientation: try reader.orientation(wire.orientationDegrees),
            mirrored: wire.mirrored ? true : nil,
            driver: try reader.word(wire.driver, "driver"),
            make: wire.hasMake ? wire.make.sentence(limit: WireLimits.hardwareByteCount) : nil,
            model: wire.hasModel ? wire.model.sentence(limit: WireLimits.hardwareByteCount) : nil,
            serial: wire.hasSerial ? wire.serial.sentence(limit: WireLimits.hardwareByteCount) : nil)
    }

    public var wire: WireDeviceDescription {
        var wire = WireDeviceDescription()
        wire.id = id.wire
        wire.mediaType = mediaType.rawValue
        wire.type = type.rawValue
        wire.position = position.rawValue
        wire.labels = labels
        wire.purpose = purpose.sentence(limit: WireLimits.purposeByteCount)
        wire.orientationDegrees = UInt32(orientation.rawValue)
        wire.mirrored = mirrored == true
        wire.driver = driver
        if let make { wire.make = make.sentence(limit: WireLimits.hardwareByteCount) }
        if let model { wire.model = model.sentence(limit: WireLimits.hardwareByteCount) }
        if let serial { wire.serial = serial.sentence(limit: WireLimits.hardwareByteCount) }
        return wire
    }
}
