public import CaptureModel
public import RigProtocol

extension DeviceDetails {
    public init(wire: WireDeviceDetails) throws(WireError) {
        let reader = FieldReader("DeviceDetails")
        self.init(
            device: try DeviceDescription(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            condition: try DeviceCondition(
                wire: try reader.present(wire.hasCondition ? wire.condition : nil, "condition")),
            authorization: try reader.word(wire.authorization, "authorization", as: AuthorizationStatus.self),
            remedy: wire.hasRemedy ? wire.remedy.sentence(limit: WireLimits.problemByteCount) : nil,
            identity: wire.hasIdentity ? wire.identity.sentence(limit: WireLimits.reasonByteCount) : nil)
        switch wire.offer {
        case .capabilities(let offer):
            capabilities = try DeviceCapabilities(wire: offer)
            isCut = offer.isCut
        case .obstacle(let problem): obstacle = CaptureProblem(wire: problem)
        case nil: throw WireError(.missing, message: "DeviceDetails", field: "offer", reason: "is required and absent")
        }
    }

    /// What is more than a message holds is cut off, and ``isCut`` says so.
    public var wire: WireDeviceDetails {
        var wire = WireDeviceDetails()
        wire.device = device.wire
        wire.condition = condition.wire
        wire.authorization = authorization.rawValue
        if let remedy { wire.remedy = remedy.sentence(limit: WireLimits.problemByteCount) }
        if let identity { wire.identity = identity.sentence(limit: WireLimits.reasonByteCount) }
        if let capabilities {
            wire.capabilities = capabilities.wire
            wire.capabilities.isCut = isCut || wire.capabilities.isCut
        } else {
            wire.obstacle = (obstacle ?? CaptureProblem(.inputOutput, "the device was not asked")).wire
        }
        return wire
    }
}
