public import CaptureModel
public import RigProtocol

extension CaptureKey {
    public init(wire: WireCaptureId) throws(WireError) {
        let reader = FieldReader("CaptureId")
        let device = try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device"))
        self.init(shot: try reader.shotID(wire.shotID), device: device)
    }

    public var wire: WireCaptureId {
        var wire = WireCaptureId()
        wire.shotID = shot.wire
        wire.device = device.wire
        return wire
    }
}
