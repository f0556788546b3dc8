public import CaptureModel
public import RigProtocol

extension TypeAndPosition {
    public init(wire: WireTypeAndPosition) throws(WireError) {
        let reader = FieldReader("TypeAndPosition")
        self.init(
            type: wire.type.isEmpty ? nil : DeviceType(rawValue: try reader.word(wire.type, "type")),
            position: wire.position.isEmpty
                ? .unspecified : Position(rawValue: try reader.word(wire.position, "position")))
    }

    public var wire: WireTypeAndPosition {
        var wire = WireTypeAndPosition()
        wire.type = type?.rawValue ?? ""
        wire.position = position == .unspecified ? "" : position.rawValue
        return wire
    }
}
