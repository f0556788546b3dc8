public import CaptureModel
public import RigProtocol

extension FileKey {
    public init(wire: WireFileKey) throws(WireError) {
        let reader = FieldReader("FileKey")
        let device = try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device"))
        self.init(
            capture: CaptureKey(shot: try reader.shotID(wire.shotID), device: device),
            kind: try reader.word(wire.kind, "kind", as: AssetKind.self))
    }

    public var wire: WireFileKey {
        var wire = WireFileKey()
        wire.shotID = capture.shot.wire
        wire.device = capture.device.wire
        wire.kind = kind.rawValue
        return wire
    }
}
