public import CaptureModel
public import FoundationEssentials
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

extension DeviceID {
    public init(wire: WireDeviceId) throws(WireError) {
        let reader = FieldReader("DeviceId")
        self.init(node: try reader.name(wire.node, "node"), device: try reader.name(wire.device, "device"))
    }

    public var wire: WireDeviceId {
        var wire = WireDeviceId()
        wire.node = node.rawValue
        wire.device = device.rawValue
        return wire
    }
}

extension ShotID {
    /// The 16 bytes of the id, in written order.
    public var wire: Data { Data(bytes) }
}

extension Epoch {
    /// The number, which is never 0.
    public var wire: UInt64 { rawValue }
}

extension ContentDigest {
    public init(wire: Data) throws(WireError) {
        guard let digest = ContentDigest(bytes: wire) else {
            let reason = "must have 32 bytes, and has \(wire.count)"
            throw WireError(.invalid, message: "SHA-256", field: "sha256", reason: reason)
        }
        self = digest
    }

    /// The 32 bytes of the digest.
    public var wire: Data { Data(bytes) }
}
